use serde_json::{Value, json};

use super::*;

fn minimal() -> Value {
    json!({
        "protocol": 2,
        "address": "127.0.0.1:8080",
        "requests": [{"path": "/"}],
        "load": {"kind": "closed", "connections": 1},
        "stop": {"kind": "seconds", "seconds": 1.0}
    })
}

fn read(change: impl Fn(&mut Value)) -> Result<Plan, String> {
    let mut plan = minimal();
    change(&mut plan);
    Plan::from_json(plan.to_string().as_bytes()).map_err(|error| error.to_string())
}

fn message(change: impl Fn(&mut Value)) -> String {
    read(change).unwrap_err()
}

fn remove(plan: &mut Value, key: &str) {
    plan.as_object_mut().unwrap().remove(key);
}

#[test]
fn what_may_be_left_out_has_its_default() {
    let plan = read(|_| {}).unwrap();
    assert!(plan.requests_per_connection.is_none() && plan.dataset.is_none() && plan.cpus.is_empty());
    assert!(
        plan.tls.is_none()
            && plan.driver == DriverChoice::Auto
            && plan.wait == Wait::Sleep
            && !plan.requests[0].template
    );
    assert_eq!((plan.threads, plan.warmup_seconds, plan.timeout_seconds), (1, 0.0, 10.0));
    assert_eq!((plan.pipeline, plan.record_intended), (1, 0));
    assert_eq!((plan.requests[0].method.as_str(), plan.requests[0].weight), ("GET", 1));
    assert_eq!(plan.load, Load::Closed { connections: 1, think_time_seconds: 0.0, local_ports: None });
    assert_eq!(plan.load.waiting_limit(), None);
}

#[test]
fn every_load_has_its_keys() {
    let load = |load: Value| read(move |plan| plan["load"] = load.clone()).unwrap().load;
    let constant = load(json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 64}));
    assert_eq!((constant.connections(), constant.waiting_limit()), (64, Some(100_000)));
    let ramp = load(json!({"kind": "ramp", "from_per_second": 0, "to_per_second": 5, "connections": 2,
                           "waiting_limit": 0}));
    assert!(ramp.is_open() && ramp.waiting_limit() == Some(0));
    assert!(load(json!({"kind": "poisson", "rate_per_second": 1, "connections": 2})).is_open());
}

#[test]
fn an_open_loads_answers_are_awaited_for_two_seconds_or_the_time_out_and_a_closed_ones_if_the_plan_says_so() {
    let drain = |load: Value, change: Value| {
        read(move |plan| {
            plan["load"] = load.clone();
            plan.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        })
        .map(|plan| plan.drain_seconds())
    };
    let open = || json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 64});
    let closed = || json!({"kind": "closed", "connections": 1});
    assert_eq!(drain(open(), json!({})), Ok(2.0));
    assert_eq!(drain(open(), json!({"timeout_seconds": 0.5})), Ok(0.5));
    assert_eq!(drain(open(), json!({"drain_seconds": 30, "timeout_seconds": 10})), Ok(30.0));
    assert_eq!(drain(open(), json!({"drain_seconds": 0})), Ok(0.0));
    let of_closed = [json!({}), json!({"drain_seconds": 0}), json!({"drain_seconds": 1})]
        .map(|change| drain(closed(), change));
    assert_eq!(of_closed, [Ok(0.0), Ok(0.0), Ok(1.0)]);
    assert!(drain(open(), json!({"drain_seconds": -1})).unwrap_err().contains("drain_seconds: -1"));
}

#[test]
fn a_deadline_is_of_an_open_load() {
    let deadline = |load: Value, seconds: Value| {
        read(move |plan| {
            plan["load"] = load.clone();
            plan["deadline_seconds"] = seconds.clone();
        })
        .map(|plan| plan.deadline_seconds)
    };
    let open = || json!({"kind": "constant", "rate_per_second": 10.0, "connections": 4});
    let closed = || json!({"kind": "closed", "connections": 4});
    assert_eq!((deadline(open(), json!(0.5)), deadline(closed(), Value::Null)), (Ok(Some(0.5)), Ok(None)));
    assert!(deadline(closed(), json!(1)).unwrap_err().contains("deadline_seconds: needs an open"));
    assert!(deadline(open(), json!(0)).unwrap_err().contains("deadline_seconds: 0"));
}

#[test]
fn steps_end_the_run_themselves() {
    let steps = json!([{"rate_per_second": 100, "seconds": 2}, {"rate_per_second": 0, "seconds": 0.5}]);
    let plan = read(|plan| {
        plan["load"] = json!({"kind": "steps", "steps": steps, "connections": 4});
        remove(plan, "stop");
    });
    assert_eq!(plan.unwrap().stop(), Stop::Seconds { seconds: 2.5 });
}

#[test]
fn transport_keys() {
    let plan = read(|plan| {
        plan["address"] = json!("unix:/run/app.sock");
        plan["driver"] = json!("io_uring");
        plan["tls"] = json!({"insecure": true, "ca_file": null});
    })
    .unwrap();
    assert_eq!((plan.host(), plan.driver), ("localhost", DriverChoice::IoUring));
    assert!(plan.tls.unwrap().insecure);
}

#[test]
fn errors_name_the_key_and_what_is_allowed() {
    let unknown = message(|plan| plan["cpu"] = json!([1]));
    assert!(unknown.contains("`cpu`") && unknown.contains("`cpus`"), "{unknown}");
    let nested = message(|plan| plan["requests"][0]["weight"] = json!("much"));
    assert!(nested.contains("requests[0].weight"), "{nested}");
    let body = message(|plan| plan["requests"][0]["expect"] = json!({"body": {"kind": "any", "text": ""}}));
    assert!(body.contains("`text`"), "{body}");
    let load = message(|plan| plan["load"] = json!({"kind": "open"}));
    assert!(load.contains("load") && load.contains("`closed`"), "{load}");
    let range = message(|plan| plan["timeout_seconds"] = json!(0));
    assert!(range.contains("timeout_seconds: 0 is not from 0.001"), "{range}");
    let missing = message(|plan| remove(plan, "stop"));
    assert!(missing.contains("`stop`"), "{missing}");
    assert!(message(|plan| plan["requests"] = json!([])).contains("requests: empty"));
    assert!(
        message(|plan| plan["stop"] = json!({"kind": "requests", "requests": 0})).contains("stop.requests")
    );
    for text in ["", "{", "[]", "{} {}"] {
        assert!(!Plan::from_json(text.as_bytes()).unwrap_err().to_string().contains('\n'));
    }
}

#[test]
fn keys_that_do_not_go_together() {
    let constant = json!({"kind": "constant", "rate_per_second": 1, "connections": 1});
    for (changes, expected) in [
        (json!({"pipeline": 65}), "pipeline: 65"),
        (json!({"pipeline": 2, "load": constant}), "pipeline: above 1"),
        (json!({"halts": true, "load": constant}), "halts: needs"),
        (json!({"halts": true, "pipeline": 2}), "halts: needs"),
        (json!({"halts": true, "requests": [{"path": "/", "journey": "a"}]}), "halts: needs"),
        (json!({"pipeline": 2, "requests_per_connection": 5}), "requests_per_connection null"),
        (
            json!({"pipeline": 2, "requests": [{"path": "/"}, {"path": "/", "acknowledge": true}]}),
            "requests[1].acknowledge: needs pipeline 1",
        ),
        (json!({"requests_per_connection": 0}), "requests_per_connection: 0"),
        (
            json!({"load": {"kind": "closed", "connections": 1, "local_ports": 0}}),
            "load.local_ports: 0 is not at least 1",
        ),
        (
            json!({"load": {"kind": "closed", "connections": 1, "local_ports": 9}, "pipeline": 2}),
            "load.local_ports: needs pipeline 1",
        ),
        (
            json!({"load": {"kind": "closed", "connections": 1, "local_ports": 9},
                   "stop": {"kind": "requests", "requests": 5}}),
            "load.local_ports needs \"seconds\"",
        ),
        (
            json!({"load": {"kind": "constant", "rate_per_second": 0, "connections": 1}}),
            "load.rate_per_second",
        ),
        (json!({"load": {"kind": "steps", "steps": [], "connections": 1}}), "load.steps: empty"),
        (
            json!({"load": {"kind": "ramp", "from_per_second": 1, "to_per_second": 2, "connections": 1},
                   "stop": {"kind": "requests", "requests": 5}}),
            "stop.kind: a ramp",
        ),
        (json!({"requests": [{"path": "/", "body": "", "body_file": "x"}]}), "requests[0].body_file"),
        (json!({"address": "unix:relative"}), "address: "),
    ] {
        let text = message(|plan| {
            for (key, value) in changes.as_object().unwrap() {
                plan[key] = value.clone();
            }
        });
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn spot_checks_stand_behind_the_mix_and_are_requests_alone() {
    let check = json!({"path": "/unknown", "spot_check_at_seconds": [0.5]});
    let requests = |requests: Value| move |plan: &mut Value| plan["requests"] = requests.clone();
    let plan = read(requests(json!([{"path": "/"}, check]))).unwrap();
    assert_eq!((plan.mix().len(), plan.requests.len()), (1, 2));
    assert!(message(requests(json!([check, {"path": "/"}]))).contains("requests: all are spot checks"));
    let late = json!([{"path": "/"}, check, {"path": "/"}]);
    assert!(message(requests(late)).contains("requests[2]: stands behind a spot check"));
    for (key, value) in
        [("acknowledge", json!(true)), ("compared", json!(true)), ("think_seconds", json!(1.0))]
    {
        let mut wrong = check.clone();
        wrong[key] = value;
        assert!(message(requests(json!([{"path": "/"}, wrong]))).contains(key), "{key}");
    }
    let many = json!([{"path": "/"}, {"path": "/unknown", "spot_check_at_seconds": vec![0.5; 1001]}]);
    assert!(message(requests(many)).contains("1001 spot checks"));
    let deep = message(|plan| {
        plan["requests"] = json!([{"path": "/"}, check]);
        plan["pipeline"] = json!(2);
    });
    assert!(deep.contains("needs pipeline 1"), "{deep}");
    let early = json!([{"path": "/"}, {"path": "/unknown", "spot_check_at_seconds": [-0.5]}]);
    assert!(message(requests(early)).contains("spot_check_at_seconds: -0.5"));
}

#[test]
fn a_message_that_is_missing_is_told_from_one_that_is_written_otherwise() {
    let of_message = |request: Value| {
        message(move |plan| {
            plan["websocket"] = json!({});
            plan["requests"] = json!([request.clone()]);
        })
    };
    assert_eq!(of_message(json!({"path": "/"})), "plan: requests[0].body: missing, it is the message");
    let written = of_message(json!({"path": "/", "body_base64": "aGk="}));
    assert_eq!(written, "plan: requests[0].body_base64: a message is written as body or body_file");
}

#[test]
fn a_connection_that_the_load_ends_ends_no_chain() {
    let ending = |changes: Value| {
        let plan = read(move |plan| {
            plan["requests"] = json!([{"path": "/", "follow_redirects": 2}]);
            plan["setup"] = json!([{"path": "/in"}]);
            plan["requests_per_connection"] = json!(5);
            plan.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        });
        plan.err().unwrap_or_default()
    };
    let text = ending(json!({}));
    assert!(text.contains("requests[0].follow_redirects: with a setup"), "{text}");
    let of_setup = json!([{"path": "/in", "follow_redirects": 2}]);
    let text = ending(json!({"setup": of_setup, "requests": [{"path": "/"}]}));
    assert!(text.contains("setup[0].follow_redirects: with a setup"), "{text}");
    for fits in [json!({"requests_per_connection": null}), json!({"setup": []})] {
        assert_eq!(ending(fits), "");
    }
}

#[test]
fn a_call_of_the_setup_is_named_as_one() {
    let call = json!({"path": "/shop.Shop/Open", "expect": {"grpc": {"status": [0]}}});
    let text = message(|plan| plan["setup"] = json!([call]));
    assert!(text.contains("setup[0].expect.grpc: needs http2"), "{text}");
}
