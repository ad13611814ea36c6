//! Answers, right and wrong.

use serde_json::{Value, json};

use super::*;
use crate::dataset::tests::items;
use crate::dataset::{Dataset, Format, write_rows};
use crate::http1::response::Coding;
use crate::plan::ChangedRowPlan;

fn expectation(expect: Value) -> Expectation {
    let dataset = Arc::new(Dataset::new(&items(1000, 0.0)).unwrap());
    let sources = Sources { dataset: Some(&dataset), ..Sources::default() };
    Expectation::new(&serde_json::from_value(expect).unwrap(), sources, &[]).unwrap()
}

fn answer(status: u16, body: &[u8]) -> Answer<'_> {
    let body_bytes = body.len() as u64;
    Answer { status, header_fits: true, body_bytes, body, reusable: true, ..Answer::default() }
}

#[test]
fn nothing_expected_is_any_2xx() {
    let mut any = expectation(json!({}));
    for (status, wrong) in [
        (200, None),
        (204, None),
        (101, Some(ErrorKind::Status1xx)),
        (304, Some(ErrorKind::Status3xx)),
        (404, Some(ErrorKind::Status4xx)),
        (503, Some(ErrorKind::Status5xx)),
    ] {
        assert_eq!(any.verify(&answer(status, b"x"), 0).wrong, wrong);
    }
    assert_eq!(expectation(json!({"status": [404]})).verify(&answer(404, b""), 0).wrong, None);
    let other = expectation(json!({"status": [201]})).verify(&answer(200, b""), 0);
    assert_eq!(other.wrong, Some(ErrorKind::Status2xx));
}

#[test]
fn the_first_wrong_thing_counts() {
    let mut expected =
        expectation(json!({"body_bytes": {"min": 2, "max": 3}, "body": {"kind": "exact", "text": "abc"}}));
    assert_eq!(expected.verify(&answer(200, b"abc"), 0).wrong, None);
    assert_eq!(expected.verify(&answer(200, b"abd"), 0).wrong, Some(ErrorKind::WrongBody));
    assert_eq!(expected.verify(&answer(200, b"ab"), 0).wrong, Some(ErrorKind::WrongBody));
    assert_eq!(expected.verify(&answer(200, b"abcd"), 0).wrong, Some(ErrorKind::WrongLength));
    let mut other_type = answer(200, b"abcd");
    other_type.header_fits = false;
    assert_eq!(expected.verify(&other_type, 0).wrong, Some(ErrorKind::WrongHeader));
    other_type.status = 500;
    assert_eq!(expected.verify(&other_type, 0).wrong, Some(ErrorKind::Status5xx));
}

#[test]
fn bodies_are_compared_at_the_asked_rate_and_lengths_always() {
    let mut expected = expectation(json!({"body": {"kind": "exact", "text": "abc"}, "check_every": 4}));
    for _ in 0..2 {
        let found = (0..4).filter(|_| expected.verify(&answer(200, b"xyz"), 0).wrong.is_some()).count();
        assert_eq!(found, 1);
    }
    assert!((0..8).all(|_| expected.verify(&answer(200, b"xy"), 0).wrong == Some(ErrorKind::WrongBody)));
}

#[test]
fn rows_are_proved_and_ids_reported() {
    let row = json!({"kind": "row", "fields": ["id", "uuid", "hash_code"]});
    let mut expected = expectation(json!({"body": row}));
    let dataset = Dataset::new(&items(1000, 0.0)).unwrap();
    let mut right = Vec::new();
    write_rows(&dataset, [77].into_iter(), Format::JsonLines, &mut right).unwrap();
    let wrong = String::from_utf8(right.clone()).unwrap().replace("\"id\":77", "\"id\":78");
    let unknown = br#"{"id": 1001}"#;
    let verdict = |wrong, checked_body, picked| Verdict { wrong, checked_body, picked };
    let of_body = Some(ErrorKind::WrongBody);
    assert_eq!(expected.verify(&answer(200, &right), 0), verdict(None, true, Some((77, true))));
    assert_eq!(expected.verify(&answer(200, wrong.as_bytes()), 0), verdict(of_body, true, Some((78, true))));
    assert_eq!(expected.verify(&answer(200, b"[]"), 0), verdict(of_body, false, None));
    assert_eq!(expected.verify(&answer(500, &right), 0), verdict(Some(ErrorKind::Status5xx), false, None));
    let mut seldom = expectation(json!({"body": row, "check_every": 2}));
    let found = [(); 2].map(|()| seldom.verify(&answer(200, wrong.as_bytes()), 0));
    let unseen = verdict(None, false, Some((78, true)));
    let seen = verdict(of_body, true, Some((78, true)));
    assert!(found == [unseen, seen] || found == [seen, unseen], "{found:?}");
    let id_alone = seldom.verify(&answer(200, unknown), 0);
    assert_eq!((id_alone.wrong, id_alone.picked), (of_body, Some((1001, false))));
}

#[test]
fn the_row_must_be_the_one_that_was_asked_for() {
    let mut expected = expectation(json!({"body": {"kind": "row", "fields": ["id", "uuid"]}}));
    let dataset = Dataset::new(&items(1000, 0.0)).unwrap();
    let mut right = Vec::new();
    write_rows(&dataset, [77].into_iter(), Format::JsonLines, &mut right).unwrap();
    assert_eq!(expected.verify(&answer(200, &right), 77).wrong, None);
    assert_eq!(expected.verify(&answer(200, &right), 78).wrong, Some(ErrorKind::WrongBody));
}

#[test]
fn of_changed_rows_every_answer_is_compared_with_both_texts() {
    let dataset = Dataset::new(&items(1000, 0.0)).unwrap();
    let mut line = Vec::new();
    write_rows(&dataset, [77].into_iter(), Format::JsonLines, &mut line).unwrap();
    let old = String::from_utf8(line).unwrap();
    let name = serde_json::from_str::<Value>(&old).unwrap()["name"].as_str().unwrap().to_owned();
    let change = |id| ChangedRowPlan { id, field: "name".to_owned(), text: "another".to_owned() };
    let row = json!({"kind": "row", "fields": ["id", "uuid", "name"]});
    let mut expected = expectation(json!({"body": row, "check_every": 1_000_000}))
        .watching(&ChangedRows::new(&[change(77), change(5)], Some(&dataset)).unwrap());
    let new = old.replace(&name, "another");
    for (body, wrong, shown) in [
        (old.clone(), None, Some(false)),
        (new.clone(), None, Some(true)),
        (old.replace(&name, "a third"), Some(ErrorKind::WrongBody), None),
        (new.replace("\"uuid\":\"", "\"uuid\":\"0"), Some(ErrorKind::WrongBody), None),
        (new.replace("\"id\":77", "\"id\":78"), None, None),
    ] {
        let verdict = expected.verify(&answer(200, body.as_bytes()), 0);
        assert_eq!(verdict.wrong, wrong, "{body}");
        let sightings: Vec<Sighting> =
            shown.map(|is_changed| Sighting { id: 77, is_changed }).into_iter().collect();
        assert_eq!(expected.sightings(), sightings, "{body}");
    }
    let without_name = json!({"body": {"kind": "row", "fields": ["id", "uuid"]}});
    let mut expected =
        expectation(without_name).watching(&ChangedRows::new(&[change(77)], Some(&dataset)).unwrap());
    assert_eq!(expected.verify(&answer(200, old.as_bytes()), 0).wrong, None);
    assert!(expected.sightings().is_empty());
}

#[test]
fn a_row_needs_a_dataset_and_its_id() {
    let row =
        |fields: Value| serde_json::from_value(json!({"body": {"kind": "row", "fields": fields}})).unwrap();
    let dataset = Arc::new(Dataset::new(&items(10, 0.0)).unwrap());
    let error = |fields: Value, dataset| {
        Expectation::new(&row(fields), Sources { dataset, ..Sources::default() }, &[]).unwrap_err()
    };
    assert!(error(json!(["id"]), None).contains("dataset"));
    assert!(error(json!(["uuid"]), Some(&dataset)).contains("id"));
    assert!(error(json!(["id", "nam"]), Some(&dataset)).contains("nam"));
}

#[test]
fn values_are_compared_at_the_asked_rate_and_differences_are_told() {
    let values = json!({"/id": "7"});
    let mut expected = expectation(json!({"body": {"kind": "json", "values": values}, "check_every": 3}));
    let wrong = answer(200, b"{\"id\": 8}");
    for _ in 0..2 {
        assert_eq!((0..3).filter(|_| expected.verify(&wrong, 0).wrong.is_some()).count(), 1);
    }
    assert_eq!(expected.reason(ErrorKind::WrongBody, &wrong, 0).unwrap(), "/id is 8, not 7");
    let cut_off = Answer { body_bytes: 99 << 20, ..answer(200, b"{\"id\": 7}") };
    let found: Vec<_> = (0..3).filter_map(|_| expected.verify(&cut_off, 0).wrong).collect();
    assert_eq!(found, [ErrorKind::WrongBody]);
    assert_eq!(expected.reason(ErrorKind::WrongBody, &cut_off, 0).unwrap(), "longer than 16 MiB");
}

#[test]
fn an_answer_without_a_body_is_right_where_its_status_is_expected() {
    let whole = json!({"status": [200, 304], "content_type": "a/b", "body_bytes": {"min": 2, "max": 2},
                       "body": {"kind": "exact", "text": "ok"}});
    let mut expected = expectation(whole.clone());
    let not_modified = Answer { header_fits: false, ..answer(304, b"") };
    assert_eq!(expected.verify(&not_modified, 0).wrong, None);
    assert_eq!(expected.verify(&answer(304, b"ok"), 0).wrong, Some(ErrorKind::WrongLength));
    assert_eq!(expected.verify(&answer(200, b""), 0).wrong, Some(ErrorKind::WrongLength));
    let mut only_whole = expectation(json!({"body": whole["body"]}));
    assert_eq!(only_whole.verify(&not_modified, 0).wrong, Some(ErrorKind::Status3xx));
    let mut part = expectation(json!({"status": [206], "body": {"kind": "exact", "text": "k"}}));
    assert_eq!(part.verify(&answer(206, b"k"), 0).wrong, None);
    assert_eq!(part.verify(&answer(206, b"ok"), 0).wrong, Some(ErrorKind::WrongBody));
}

#[test]
fn what_is_expected_bounds_the_length_of_bodies() {
    let bounds = |body_bytes, body| {
        let expect = Expect { body_bytes, body, ..Expect::default() };
        let sources = Sources::default();
        let expectation = Expectation::new(&expect, sources, &[]).unwrap();
        (expectation.least_body_bytes(), expectation.most_body_bytes())
    };
    let range = Some(ByteRange { min: 5, max: 90_000 });
    assert_eq!(bounds(None, BodyPlan::Any {}), (0, None));
    assert_eq!(bounds(range, BodyPlan::Any {}), (5, Some(90_000)));
    let exact = || serde_json::from_value(json!({"kind": "exact", "text": "four"})).unwrap();
    assert_eq!(bounds(None, exact()), (4, Some(4)));
}

#[test]
fn an_exact_body_may_be_bytes() {
    let mut bytes = expectation(json!({"body": {"kind": "exact", "base64": "AP8="}}));
    assert_eq!(bytes.verify(&answer(200, b"\0\xff"), 0).wrong, None);
    assert_eq!(bytes.verify(&answer(200, b"\0\xfe"), 0).wrong, Some(ErrorKind::WrongBody));
    for (body, key) in [
        (json!({"kind": "exact"}), "expect.body: needs one"),
        (json!({"kind": "exact", "text": "a", "base64": "YQ=="}), "expect.body: needs one"),
        (json!({"kind": "exact", "base64": "Y"}), "expect.body.base64: "),
    ] {
        let expect = serde_json::from_value(json!({"body": body})).unwrap();
        let error = Expectation::new(&expect, Sources::default(), &[]).unwrap_err();
        assert!(error.starts_with(key), "{error}");
    }
}

#[test]
fn the_reason_is_what_keeps_a_body_from_being_right() {
    let mut expected = expectation(json!({"trailer": {"a": "1"}, "body": {"kind": "exact", "text": "ok"}}));
    let fields = Answer { trailer: b"A: 1\r\n", ..answer(200, b"ok") };
    let coded = Answer { coding: Some(Coding::Zstd), ..fields };
    let mut told = |answer: &Answer<'_>| {
        let wrong = expected.verify(answer, 0).wrong;
        (wrong, wrong.and_then(|kind| expected.reason(kind, answer, 0)))
    };
    let zstd = || Some("the body is zstd".to_owned());
    assert_eq!(told(&fields), (None, None));
    assert_eq!(told(&coded), (None, None), "what was expected came");
    assert_eq!(told(&Answer { body: b"no", ..coded }), (Some(ErrorKind::WrongBody), zstd()));
    assert_eq!(told(&Answer { status: 500, ..coded }), (Some(ErrorKind::Status5xx), zstd()));
    assert_eq!(told(&Answer { status: 500, body_bytes: 0, ..coded }), (Some(ErrorKind::Status5xx), None));
    let without = (Some(ErrorKind::WrongHeader), Some("the trailer has no a".to_owned()));
    assert_eq!(told(&Answer { trailer: b"", ..coded }), without);
}

#[test]
fn a_digest_is_of_the_body_as_it_came() {
    let sha256 = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let mut expected = expectation(json!({"body": {"kind": "digest", "sha256": sha256}})).unpacking(
        crate::http1::response::Accepted::of(&[("accept-encoding".to_owned(), "gzip".to_owned())]),
    );
    assert!(!expected.accepted().is_any(), "nothing is unpacked for it");
    let packed = |body| Answer { coding: Some(Coding::Gzip), ..answer(200, body) };
    assert_eq!(expected.verify(&packed(b"abc"), 0).wrong, None);
    let wrong = expected.verify(&packed(b"abd"), 0);
    assert_eq!(wrong.wrong, Some(ErrorKind::WrongBody));
    let reason = expected.reason(ErrorKind::WrongBody, &packed(b"abd"), 0).unwrap();
    assert_eq!(reason, "the body's SHA-256 is another one");
    let cut = Answer { body_bytes: 4, ..answer(200, b"abc") };
    assert_eq!(expected.verify(&cut, 0).wrong, Some(ErrorKind::WrongBody));
    for wrong in ["", "ba78", &"g".repeat(64)] {
        let plan = serde_json::from_value(json!({"body": {"kind": "digest", "sha256": wrong}})).unwrap();
        let error = Expectation::new(&plan, Sources::default(), &[]).unwrap_err();
        assert_eq!(error, "expect.body.sha256: needs 64 hexadecimal digits");
    }
}

#[test]
fn a_call_is_judged_by_its_status_before_its_trailer_which_may_stand_in_the_head() {
    let mut expected = expectation(json!({"grpc": {"status": [0, 5]}, "trailer": {"x": "1"}}));
    let call = |head, trailer, body| Answer {
        content_type: b"application/grpc",
        head,
        trailer,
        ..answer(200, body)
    };
    let unavailable = call(b"grpc-status: 14\r\n", b"", b"");
    assert_eq!(expected.verify(&unavailable, 0).wrong, Some(ErrorKind::StatusGrpc));
    let without = call(b"grpc-status: 5\r\n", b"", b"");
    assert_eq!(expected.verify(&without, 0).wrong, Some(ErrorKind::WrongHeader));
    let reason = expected.reason(ErrorKind::WrongHeader, &without, 0).unwrap();
    assert_eq!(reason, "the trailer has no x");
    assert_eq!(expected.verify(&call(b"grpc-status: 5\r\nx: 1\r\n", b"", b""), 0).wrong, None);
    let beside = call(b"x: 1\r\n", b"grpc-status: 0\r\n", b"\0\0\0\0\0");
    assert_eq!(
        expected.verify(&beside, 0).wrong,
        Some(ErrorKind::WrongHeader),
        "the head is no trailer here"
    );
}
