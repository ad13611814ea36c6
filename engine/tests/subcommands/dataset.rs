//! The dataset command.

use crate::common::{items, run_with_input};
use serde_json::{Value, json};

fn dataset(arguments: &[&str], spec: &Value) -> (String, String, Option<i32>) {
    let output = run_with_input(&[&["dataset"], arguments].concat(), &spec.to_string());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn rows_come_in_id_order_without_those_in_gaps() {
    let (tsv, _, status) = dataset(&[], &items(5000, 0.3));
    assert_eq!(status, Some(0));
    let ids: Vec<u64> = tsv.lines().map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect();
    assert!(ids.len() == 5000 && ids.is_sorted());
    let described: Value = serde_json::from_str(&dataset(&["--describe"], &items(5000, 0.3)).0).unwrap();
    assert_eq!(described["rows"], 5000);
    assert_eq!(
        (described["first_id"].as_u64(), described["last_id"].as_u64()),
        (ids.first().copied(), ids.last().copied())
    );
    assert_eq!(described["fields"]["uuid"], json!({"min_bytes": 36, "max_bytes": 36}));
}

#[test]
fn single_rows_are_the_same_as_among_all() {
    let (all, _, _) = dataset(&["--format", "tsv"], &items(300, 0.0));
    let (some, _, _) = dataset(&["--ids", "7,299,3"], &items(300, 0.0));
    let all: Vec<&str> = all.lines().collect();
    assert_eq!(some.lines().collect::<Vec<_>>(), [all[2], all[6], all[298]]);
}

#[test]
fn ids_in_gaps_are_passed_over_if_asked_for() {
    let spec = items(100, 0.5);
    let (all, _, _) = dataset(&[], &spec);
    let id = |row: &str| row.split('\t').next().unwrap().parse::<u64>().unwrap();
    let held: Vec<u64> = all.lines().map(id).collect();
    let gap = (1..held[99]).find(|id| !held.contains(id)).unwrap();
    let beyond = held[99] + 1;
    let some = format!("{beyond},{},0,{gap},{}", held[7], held[3]);
    let (rows, _, status) = dataset(&["--ids", &some, "--skip-gaps"], &spec);
    assert_eq!((rows.lines().map(id).collect::<Vec<_>>(), status), (vec![held[3], held[7]], Some(0)));
    // Nothing left is not the same as nothing said, which is all rows.
    let gaps = format!("{gap},{beyond}");
    let nothing = (String::new(), String::new(), Some(0));
    assert_eq!(dataset(&["--ids", &gaps, "--skip-gaps"], &spec), nothing);
    for arguments in [&["--ids", "", "--skip-gaps"][..], &["--ids", "--skip-gaps"], &["--skip-gaps"]] {
        let (rows, line, status) = dataset(arguments, &spec);
        assert!(rows.is_empty() && line.contains("--ids") && status == Some(2), "{line}");
    }
}

#[test]
fn what_does_not_fit_is_one_line_and_status_2() {
    let mut typo = items(10, 0.0);
    typo["fields"][1]["kind"] = json!("guid");
    for (arguments, spec, expected) in [
        (&["--ids", "11"][..], items(10, 0.0), "id 11"),
        (&[], items(0, 0.0), "rows: 0"),
        (&[], items(10, 1.5), "gaps: 1.5"),
        (&[], typo, "guid"),
        (&["--describe"], json!({"name": "x"}), "`seed`"),
    ] {
        let (out, line, status) = dataset(arguments, &spec);
        assert!(out.is_empty() && line.contains(expected) && line.lines().count() == 1, "{line}");
        assert_eq!(status, Some(2));
    }
}
