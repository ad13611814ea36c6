//! What it costs to compare an answer: `cargo bench --bench digest`. Prints a table; asserts nothing about times.

use std::hint::black_box;
use std::time::Instant;

use fairtrial_engine::plan::NormalisationPlan;
use fairtrial_engine::reference::{Digest, Digester};
use serde_json::{Value, json};

const ROUNDS: usize = 15;

fn main() {
    println!("{:<44} {:>8} {:>12}", "body", "bytes", "µs, median");
    for (name, elements) in [("an item", 0), ("a page of items", 40)] {
        let body = body(elements);
        for (how, plan) in [
            ("", json!({})),
            (", two volatile places", json!({"volatile": ["/created_at", "/items/*/created_at"]})),
            (", unordered", json!({"unordered": ["/items"]})),
        ] {
            let mut digester = digester(&plan);
            report(&format!("{name}{how}"), body.len(), || {
                black_box(digester.body(b"application/json", black_box(&body)) == Digest::Of(0));
            });
        }
        let digester = digester(&json!({}));
        report(&format!("{name}, the same bytes again"), body.len(), || {
            black_box(digester.raw(black_box(&body)));
        });
    }
    let mut with_text = digester(&json!({"text": [{"matches": "req-[0-9a-f]{12}", "is": "req-ID"}]}));
    let page = format!("<p>request req-0123456789ab</p>{}", "<p>hello, world</p>".repeat(10));
    report("a text with one expression", page.len(), || {
        black_box(with_text.body(b"text/html", black_box(page.as_bytes())));
    });
}

fn digester(plan: &Value) -> Digester {
    let plan: NormalisationPlan = serde_json::from_value(plan.clone()).expect("a normalisation");
    Digester::new(&plan, b"secret").expect("a normalisation")
}

/// One item, or a page of so many, as the lab's own workloads have them.
fn body(elements: usize) -> Vec<u8> {
    let item = |id: usize| {
        json!({
            "id": id, "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e", "name": "Ada Lovelace of Ockham",
            "hash_code": "da39a3ee5e6b4b0d3255bfef95601890afd80709", "created_at": "2031-05-06T07:08:09.123Z"
        })
    };
    let value = match elements {
        0 => item(7),
        _ => json!({"total": 400, "items": (0..elements).map(item).collect::<Vec<_>>()}),
    };
    value.to_string().into_bytes()
}

fn report(name: &str, bytes: usize, mut once: impl FnMut()) {
    let times = (4_000_000 / bytes.max(200)).max(10);
    let mut seconds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            (0..times).for_each(|_| once());
            began.elapsed().as_secs_f64() / times as f64
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    println!("{name:<44} {bytes:>8} {:>12.2}", 1e6 * seconds[ROUNDS / 2]);
}
