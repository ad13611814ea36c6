//! Bodies that are handed on, over real sockets.

use serde_json::{Value, json};

use super::templates::asked_of;
use crate::common::{Engine, Plan};

#[test]
fn right_bodies_are_handed_on_at_the_asked_rate_and_others_are_not() {
    let (server, _) = asked_of(|target, _| match target {
        "/equal" => "{\"a\": 1}".to_owned(),
        _ => "x".to_owned(),
    });
    let expect = json!({"keep_bodies": true, "check_every": 4});
    let wrong = json!({"keep_bodies": true, "body": {"kind": "exact", "text": "y"}});
    let plan = Plan::closed(&server.address, 1)
        .with(
            "requests",
            json!([
                {"name": "equal", "path": "/equal", "expect": expect},
                {"name": "other", "path": "/other"},
                {"name": "wrong", "path": "/wrong", "expect": wrong},
            ]),
        )
        .requests(120);
    let (events, _) = Engine::start(&["run"], &plan.0.to_string()).finish();
    let bodies: Vec<&Value> = events.iter().filter(|event| event["event"] == "body").collect();
    let equal =
        json!({"event": "body", "request": "equal", "status": 200, "times": 10, "text": "{\"a\": 1}"});
    assert_eq!(bodies, [&equal]);
    let summary = events.last().unwrap();
    assert_eq!((&summary["event"], &summary["bodies_left_out"]), (&json!("summary"), &json!(0)));
    assert_eq!(summary["errors"]["wrong_body"], 40);
}
