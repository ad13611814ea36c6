use serde_json::{Value, json};

use super::digest::{Digest, Digester, is_json};

const JSON: &[u8] = b"application/json; charset=utf-8";

fn digester(normalisation: Value) -> Digester {
    Digester::new(&serde_json::from_value(normalisation).unwrap(), b"secret").unwrap()
}

fn equal(normalisation: Value, one: &str, other: &str) -> bool {
    let mut digester = digester(normalisation);
    let digests = [one, other].map(|body| digester.body(JSON, body.as_bytes()));
    assert!(digests.iter().all(|digest| matches!(digest, Digest::Of(_))), "{one} {other}");
    digests[0] == digests[1]
}

#[test]
fn what_says_the_same_is_equal() {
    for (one, other) in [
        (r#"{"a": 1, "b": [true, null]}"#, "{\"b\":[true,null],\n\"a\":1}"),
        ("[1, 65930.0, -0, 15e-1]", "[1.0, 65930, 0, 1.5]"),
        ("[1e3, 18446744073709551615]", "[1000, 18446744073709551615]"),
        (r#""b\u006fok""#, r#""book""#),
        ("{}", " { } \n"),
    ] {
        assert!(equal(json!({}), one, other), "{one} {other}");
    }
}

#[test]
fn what_says_something_else_is_unequal() {
    for (one, other) in [
        (r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#),
        ("[1, 2]", "[2, 1]"),
        ("[1, 2]", "[1, 2, 2]"),
        ("[[1], [2]]", "[[1, 2]]"),
        ("[[], []]", "[[[]]]"),
        ("1", "\"1\""),
        ("true", "1"),
        ("false", "null"),
        ("[0]", "[false]"),
        ("{}", "[]"),
        (r#"{"a": null}"#, "{}"),
        ("9007199254740993", "9007199254740992"),
        ("18446744073709551615", "18446744073709551614"),
        ("0.1", "0.10000000000000002"),
        (r#"{"a": {"b": 1}}"#, r#"{"b": {"a": 1}}"#),
        (r#"{"a": 1}"#, r#"{"a": 1"#),
        (r#""a ""#, r#""a""#),
    ] {
        assert!(!equal(json!({}), one, other), "{one} {other}");
    }
}

#[test]
fn a_member_that_occurs_twice_is_equal_to_nothing() {
    let mut digester = digester(json!({"volatile": ["/at"]}));
    for body in [r#"{"a": 1, "a": 1}"#, r#"[{"x": {"a": 1, "b": 2, "\u0061": 3}}]"#] {
        assert_eq!(digester.body(JSON, body.as_bytes()), Digest::MemberTwice, "{body}");
    }
    let apart = r#"{"a": {"a": 1}, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}], "at": 1}"#;
    assert!(matches!(digester.body(JSON, apart.as_bytes()), Digest::Of(_)));
}

#[test]
fn of_volatile_values_the_type_counts() {
    let volatile = || json!({"volatile": ["/at", "/items/*/etag", "/x~1y/0"], "renamed": ["/id"]});
    let one = r#"{"id": 1, "at": "now", "items": [{"etag": "a", "n": 1}, {"etag": "b"}], "x/y": [1, 2]}"#;
    for (from, to, is_equal) in [
        ("\"now\"", "\"then\"", true),
        ("\"id\": 1", "\"id\": 900", true),
        ("\"b\"", "\"c\"", true),
        ("[1, 2]", "[9, 2]", true),
        ("[1, 2]", "[1, 3]", false),
        ("\"now\"", "5", false),
        ("\"now\"", "null", false),
        ("\"at\": \"now\", ", "", false),
        ("\"n\": 1", "\"n\": 2", false),
        ("{\"etag\": \"b\"}", "{}", false),
    ] {
        assert!(one.contains(from), "{from}");
        assert_eq!(equal(volatile(), one, &one.replace(from, to)), is_equal, "{from} {to}");
    }
    assert!(equal(json!({"volatile": [""]}), "{\"a\": 1}", "{}"));
    assert!(!equal(json!({"volatile": [""]}), "{}", "[]"));
}

#[test]
fn the_order_of_some_arrays_does_not_count() {
    let unordered = || json!({"unordered": ["/tags", "/rows/*/tags"]});
    assert!(equal(unordered(), r#"{"tags": [1, {"a": 2}, 1]}"#, r#"{"tags": [{"a": 2}, 1, 1]}"#));
    assert!(!equal(unordered(), r#"{"tags": [1, 2, 1]}"#, r#"{"tags": [1, 2, 2]}"#));
    assert!(!equal(unordered(), r#"{"tags": [1, 2]}"#, r#"{"tags": [1, 2, 2]}"#));
    assert!(!equal(unordered(), r#"{"other": [1, 2]}"#, r#"{"other": [2, 1]}"#));
    assert!(equal(unordered(), r#"{"rows": [{"tags": [1, 2]}]}"#, r#"{"rows": [{"tags": [2, 1]}]}"#));
}

#[test]
fn other_bodies_are_texts() {
    let mut digester = digester(json!({"text": [{"matches": "req-[0-9a-f]{4}", "is": "$0"}]}));
    let mut of = |body: &[u8]| digester.body(b"text/plain", body);
    assert_eq!(of(b"hello req-01ab"), of(b"hello req-99ff\r\n"));
    assert_ne!(of(b"hello req-01ab"), of(b"hallo req-01ab"));
    assert_ne!(of(b"55"), of(b"55.0"));
    // Nothing is replaced in what is no UTF-8.
    assert_eq!(of(b"\xff req-01ab"), of(b"\xff req-01ab\n"));
    assert_ne!(of(b"\xff req-01ab"), of(b"\xff req-99ff"));
    assert_eq!(of(b"{\"a\": 1, \"b\": 2}"), of(b"{\"b\": 2, \"a\": 1}"));
    assert_ne!(of(b"{\"a\": 1,"), of(b"{\"a\":1,"));
    assert!(is_json(b"application/problem+JSON ; x=y", b"1") && !is_json(b"text/html", b"<a>"));
}

#[test]
fn wrong_normalisations_are_named() {
    for (plan, expected) in [
        (json!({"volatile": ["at"]}), "volatile: \"at\": a JSON pointer begins with /"),
        (json!({"text": [{"matches": "(", "is": ""}]}), "text: \"(\": "),
        (json!({"unordered": vec!["/a"; 65]}), "unordered: \"/a\": there are more than 64"),
    ] {
        let line = Digester::new(&serde_json::from_value(plan).unwrap(), b"").unwrap_err();
        assert!(line.starts_with(expected), "{line}");
    }
}

#[test]
fn the_secret_decides_the_numbers() {
    let plan = serde_json::from_value(json!({})).unwrap();
    let [mut one, mut other] = [b"one", b"two"].map(|key| Digester::new(&plan, key).unwrap());
    assert_ne!(one.body(JSON, b"{\"a\": 1}"), other.body(JSON, b"{\"a\": 1}"));
}

#[test]
fn a_body_that_nests_too_deeply_or_has_many_members_ends() {
    let mut digester = digester(json!({}));
    digester.body(JSON, &b"[".repeat(100_000));
    let members: Vec<String> = (0..100_000).map(|number| format!("\"{number}\":0")).collect();
    let body = format!("{{{}}}", members.join(","));
    assert!(matches!(digester.body(JSON, body.as_bytes()), Digest::Of(_)));
}
