//! Which answers show which text of a changed row, and when they were asked for.

use super::server::{Asked, Network, Reaction, run};
use super::*;

/// The text changes at 250 ms; the window is from 100 to 500 ms; each answer takes 10 ms.
const COMMITTED_NS: u64 = 250 * MS;

fn watching(setup: Setup) -> Setup {
    let body = json!({"kind": "exact", "text": "art", "changed": [{"id": 7, "at": 0, "text": "bsu"}]});
    Setup { requests: json!([{"path": "/", "expect": {"body": body}}]), closes_ns: Some(500 * MS), ..setup }
}

/// By the time at which each request was sent, whether its answer showed the new text. The server reads the text
/// `reads_later` after a request has come, from a copy that is up to `copy_lives` old.
fn seen(setup: Setup, copy_lives_ns: u64, reads_later_ns: u64) -> Vec<(u64, bool)> {
    let answer = |now_ns: u64| {
        let read_ns = now_ns + reads_later_ns;
        let copied_ns = read_ns.checked_div(copy_lives_ns).map_or(read_ns, |copies| copies * copy_lives_ns);
        let text = if copied_ns >= COMMITTED_NS { "bsu" } else { "art" };
        format!("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{text}").into_bytes()
    };
    let react = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + 10 * MS, answer(asked.now_ns), false);
    let ended = run(watching(setup), Network::default(), react, SECOND);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty());
    let written = serde_json::to_value(ended.record.sightings.unwrap().conclude()).unwrap();
    let kept: Vec<(u64, u8, u64)> = serde_json::from_value(written["kept"].clone()).unwrap();
    kept.into_iter().map(|(id, is_new, sent_ns)| (sent_ns, id == 7 && is_new == 1)).collect()
}

fn old_after_commit(seen: &[(u64, bool)]) -> Vec<u64> {
    seen.iter()
        .filter(|(sent_ns, is_new)| *sent_ns > COMMITTED_NS && !is_new)
        .map(|(sent_ns, _)| *sent_ns)
        .collect()
}

#[test]
fn a_server_that_reads_shows_every_change_to_whoever_asks_later() {
    let seen = seen(Setup::closed(1), 0, MS);
    // The first answer of the window was asked for before it.
    assert_eq!((seen.first(), seen.len()), (Some(&(90 * MS, false)), 40));
    assert!(old_after_commit(&seen).is_empty());
    assert_eq!(seen.last(), Some(&(480 * MS, true)));
}

#[test]
fn what_was_sent_before_a_commit_may_show_either_text() {
    // Sent at 240 ms, read at 245; and sent at 240, read at 255.
    for (reads_later_ns, is_new) in [(5 * MS, false), (15 * MS, true)] {
        let seen = seen(Setup::closed(1), 0, reads_later_ns);
        assert!(seen.contains(&(240 * MS, is_new)));
        assert!(old_after_commit(&seen).is_empty());
    }
}

#[test]
fn a_copy_of_any_life_shows_old_texts_to_whoever_asks_after_the_commit() {
    let seen = seen(Setup::closed(1), 40 * MS, 0);
    // Copies are made at 240 and at 280 ms.
    assert_eq!(old_after_commit(&seen), [260 * MS, 270 * MS]);
}

#[test]
fn each_request_of_a_pipeline_has_the_time_at_which_it_was_sent() {
    let seen = seen(Setup { pipeline: 3, ..Setup::closed(1) }, 40 * MS, 0);
    assert_eq!(old_after_commit(&seen), [[260 * MS; 3], [270 * MS; 3]].concat());
}
