//! The record of one of several engines, in a form in which merging loses nothing.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Record, Summary, WindowFacts};
use crate::PROTOCOL;
use crate::clock;
use crate::dataset::{Dataset, DatasetSpec};

/// One engine's record of the window, and what only its coordinator knows.
#[derive(Debug, Deserialize, Serialize)]
pub struct Part {
    protocol: u32,
    /// From 0.
    number: u32,
    /// How many there are.
    of: u32,
    /// When the window opened, by the host's clock, in seconds since 1970.
    opened_unix_seconds: f64,
    record: Record,
    facts: WindowFacts,
    /// By which answered ids are tallied; `None` if none are.
    dataset: Option<DatasetSpec>,
}

/// Why parts are not those of one load.
#[derive(Debug, PartialEq, Eq)]
pub struct Unfit(Cow<'static, str>);

impl fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

impl Part {
    /// The part of this number.
    pub fn new(number: u32, of: u32, opened_unix_seconds: f64, record: Record, facts: WindowFacts) -> Part {
        let (record, facts) = (record.since(facts.opened_ns), WindowFacts { opened_ns: 0, ..facts });
        Part { protocol: PROTOCOL, number, of, opened_unix_seconds, record, facts, dataset: None }
    }

    /// The same, whose answered ids are tallied by this dataset.
    pub fn tallied_by(self, dataset: Option<DatasetSpec>) -> Part {
        Part { dataset, ..self }
    }

    /// What it was made of, as though it were the whole.
    pub fn alone(self) -> (Record, WindowFacts) {
        (self.record, self.facts)
    }

    /// The summary of windows that followed each other in time, of the same load. Each was one engine's alone.
    ///
    /// # Errors
    /// If they are not of the same load, or some are one of several engines' parts.
    pub fn in_turn(parts: Vec<Part>) -> Result<Summary, Unfit> {
        if let Some((place, part)) = parts.iter().enumerate().find(|(_, part)| part.of != 1) {
            return unfit(format!("window {place}: it is part {} of {}", part.number, part.of));
        }
        let dataset = fitting(&parts)?;
        let mut until_ns = 0;
        let mut all = parts.into_iter().map(|part| {
            let opened_ns = until_ns;
            until_ns += clock::from_seconds(part.facts.account.window_seconds);
            (part.record.in_turn(opened_ns), part.facts)
        });
        let (mut record, mut facts) = all.next().expect("there is one at least");
        for (later, told) in all {
            record.then(later);
            facts = facts.then(told);
        }
        Ok(Summary::new(record, facts, dataset.as_ref()))
    }

    /// The summary of the whole, as one engine with all threads would have written it.
    ///
    /// # Errors
    /// If these are not all parts of one load, each once.
    pub fn merge(mut parts: Vec<Part>) -> Result<Summary, Unfit> {
        parts.sort_by_key(|part| part.number);
        let of = parts.first().map_or(0, |part| part.of);
        if let Some(part) = parts.iter().find(|part| part.of != of) {
            return unfit(format!("part {}: it is one of {}, and others are of {of}", part.number, part.of));
        }
        if parts.iter().zip(0..).any(|(part, number)| part.number != number) || parts.len() != of as usize {
            let numbers: Vec<String> = parts.iter().map(|part| part.number.to_string()).collect();
            return unfit(format!("parts {} have come; needed are 0 to {}", numbers.join(", "), of - 1));
        }
        let dataset = fitting(&parts)?;
        let mut all = parts.into_iter().map(|part| (part.record, part.facts));
        let (mut record, mut facts) = all.next().expect("there is one at least");
        for (other, told) in all {
            record.merge(other);
            facts = facts.plus(told);
        }
        Ok(Summary::new(record, facts, dataset.as_ref()))
    }
}

fn unfit<T>(text: String) -> Result<T, Unfit> {
    Err(Unfit(text.into()))
}

/// The dataset by which all of them are tallied, if they are.
fn fitting(parts: &[Part]) -> Result<Option<Dataset>, Unfit> {
    let Some(first) = parts.first() else { return unfit("there is no part to merge".to_owned()) };
    let dataset = match &first.dataset {
        Some(spec) => Some(Dataset::new(spec).map_err(|error| Unfit(format!("dataset.{error}").into()))?),
        None => None,
    };
    for (place, part) in parts.iter().enumerate() {
        if part.protocol != PROTOCOL {
            return unfit(format!("part {place}: protocol {}, this is {PROTOCOL}", part.protocol));
        }
        if !part.record.is_of_same_mix(&first.record) {
            return unfit(format!("part {place}: its requests are others than those of part 0"));
        }
        if part.facts.requests != first.facts.requests {
            return unfit(format!("part {place}: its spot checks are others than those of part 0"));
        }
        if !part.record.is_tallied_by(dataset.as_ref()) {
            return unfit(format!("part {place}: its rows are others than those of part 0"));
        }
    }
    Ok(dataset)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dataset::mix;
    use crate::dataset::tests::items;
    use crate::plan::RequestPlan;
    use crate::record::{
        AcknowledgedNumbers, Books, Comparison, ErrorKind, EventRecord, Examples, ExchangeTimes, Handshakes,
        JourneyEnd, KeptConnections, PickCounts, RequestComparison, RequestKinds, Routes, SetupCounts,
        Sighting, SpotCheckOutcome, StreamUse, ThreadUse, TlsFacts, Unanswered, UnequalAnswer, Unpacking,
        WaitingRequests, WindowAccount,
    };
    use crate::wait::Wait;

    /// A record of answers, errors and requests that nobody answered, all drawn from the seed.
    fn record(seed: u64) -> Record {
        let step = serde_json::from_value::<RequestPlan>(json!({"path": "/", "journey": "buy"})).unwrap();
        let mut record =
            Record::new(RequestKinds::new(["read", "write"]), None, 10).with_journeys(&[step.clone(), step]);
        for nth in 0..500 {
            let draw = |what: u64, below: u64| mix(mix(seed).wrapping_add(1000 * nth + what)) % below;
            let (request, since_ns) = (draw(0, 2) as usize, nth * 7_000_000);
            let intended_ns = 1_000_000_000 + since_ns;
            let sent_ns = intended_ns + draw(1, 50_000);
            let done_ns = sent_ns + draw(2, 1 << draw(3, 30));
            let times =
                ExchangeTimes { intended_ns, sent_ns, first_byte_ns: sent_ns.midpoint(done_ns), done_ns };
            record.sent(request, true);
            record.intended(intended_ns);
            match draw(4, 10) {
                0 => record.failure(Some(request), ErrorKind::Timeout, since_ns),
                1 => {
                    let (sent_ns, given_up_ns) = (Some(sent_ns), times.done_ns);
                    let first_byte_ns = (draw(7, 2) == 0).then_some(times.first_byte_ns);
                    record
                        .unanswered(request, Unanswered { intended_ns, sent_ns, first_byte_ns, given_up_ns });
                    record.under_way.at_end(u128::from(draw(8, 1 << 40)));
                    let end = JourneyEnd::by_failure(ErrorKind::Timeout);
                    record.journeys[0].ended(request, end, draw(9, 1 << 30));
                }
                2 => {
                    record.examples.add(ErrorKind::WrongBody, Some(200), b"\xff wrong", times.done_ns);
                    record.wrong_answer(ErrorKind::WrongBody, since_ns);
                    record.statuses.add(429, b"Retry-After: 1\n", b"slow");
                    record.answer(request, times, draw(5, 900), since_ns);
                }
                _ => {
                    record.answer(request, times, draw(5, 900), since_ns);
                    record.answer_of_cohort(request, times);
                    record.verified(request, [200, 206, 304][draw(10, 3) as usize], since_ns);
                    record.traced(nth.into(), request, done_ns - intended_ns, 200);
                    record.connect_time.record(draw(6, 1 << 40));
                    record.journeys[0].ended(request, JourneyEnd::Completed, draw(9, 1 << 30));
                }
            }
        }
        record.evenness.connection(mix(seed) % 100);
        record.counters.received_bytes = 100 + seed;
        (record.counters.two_framings, record.counters.unasked, record.counters.unannounced_closes) =
            (1 + seed, 2, 3);
        (record.counters.retried, record.counters.undrained) = (4, 5);
        record.evenness.slice([1, 2, mix(seed) % 5].into_iter());
        record.unpacking = Some(Unpacking {
            answers: 3 + seed,
            unchanged: 1,
            packed_bytes: 50,
            unpacked_bytes: 500 + seed,
            cpu_ns: 1_000_000,
        });
        record
    }

    fn facts(cpu_seconds: f64) -> WindowFacts {
        let waiting = Some(WaitingRequests { limit: 5, peak: 2, at_end: 1 });
        let (user_seconds, system_seconds) = (0.1, 0.2);
        let account = WindowAccount {
            driver: "epoll".into(),
            driver_fallback: None,
            wait: Wait::default(),
            routes: None,
            tls: None,
            handshakes: None,
            older_connections: Some(KeptConnections { open: 3, closes: 1 }),
            interrupted: false,
            window_seconds: 4.0,
            warmup_seconds: 1.0,
            warm_up: None,
            books: Books { in_flight_at_start: 1, offered: 500, in_flight_at_end: 2, waiting },
            oldest_in_flight_seconds: Some(cpu_seconds),
            run_verified: 400,
            run_errors: 100,
            rows_used: Default::default(),
            think_seconds: Default::default(),
            threads: vec![ThreadUse { cpu_seconds, user_seconds, system_seconds, spinning_seconds: 0.0 }],
        };
        WindowFacts {
            account,
            wire_bytes: None,
            requests: vec!["read".to_owned(), "write".to_owned()],
            begun_numbers: vec![0, 0],
            opened_ns: 1_000_000_000,
            drain_seconds: cpu_seconds,
        }
    }

    /// A part, as it comes out of an engine's event.
    fn written(number: u32, of: u32) -> Part {
        let part = Part::new(number, of, 0.0, record(u64::from(number)), facts(f64::from(number)));
        serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap()
    }

    /// As threads of one engine would have been merged, without anything being written in between.
    fn of_threads(of: u32) -> Value {
        let mut whole = record(0).since(1_000_000_000);
        let mut told = WindowFacts { opened_ns: 0, ..facts(0.0) };
        for number in 1..of {
            whole.merge(record(u64::from(number)).since(1_000_000_000));
            told = told.plus(facts(f64::from(number)));
        }
        serde_json::to_value(Summary::new(whole, told, None)).unwrap()
    }

    #[test]
    fn parts_become_what_threads_of_one_engine_would_have() {
        for of in [1, 2, 5] {
            let parts = (0..of).rev().map(|number| written(number, of)).collect();
            let merged = serde_json::to_value(Part::merge(parts).unwrap()).unwrap();
            assert_eq!(merged, of_threads(of), "of {of}");
        }
    }

    /// A summary that has all that one can have.
    fn filled() -> Summary {
        let dataset = Dataset::new(&items(10, 0.0)).unwrap();
        let mut record =
            record(1).acknowledging(vec![Some(AcknowledgedNumbers::new(1)), None]).watching(true);
        record.picks = Some(PickCounts::new(&dataset));
        record.send_lag.record_at_least(1);
        record.connect_time.record_at_least(1);
        record.copy_time.record_at_least(1);
        record.setup = Some(SetupCounts::default());
        record.streams = Some(StreamUse { planned: 10, allowed: Some(5), most: 5 });
        record.event_streams = Some(EventRecord {
            tokens: Some(1),
            first_event_time: record.connect_time.clone(),
            event_gap: record.connect_time.clone(),
            ..EventRecord::default()
        });
        record.sighted(Sighting { id: 1, is_changed: true }, 1);
        record.examples = Examples::default();
        record.examples.add_because(ErrorKind::WrongBody, Some(200), b"", 1, || Some("why".to_owned()));
        record.examples.add_broken("surplus", Some(200), b"", 2);
        let times = ExchangeTimes { intended_ns: 1, sent_ns: 2, first_byte_ns: 3, done_ns: 4 };
        let outcome = SpotCheckOutcome::of(0, times, Some(ErrorKind::WrongBody));
        record.spot_checked(outcome.answered(200, b"", Some("why".to_owned())));
        let unequal = UnequalAnswer {
            request: String::new(),
            instance: 1,
            status: 200,
            content_type: String::new(),
            body: String::new(),
        };
        let requests = vec![RequestComparison::default()];
        record.comparison = Some(Comparison { requests, unequal_answers: vec![unequal] });
        let warm_up = json!({"least_seconds": 1.0, "limit_seconds": 2.0, "end": "flat", "rise": 0.1,
            "until_seconds": [1.0], "verified_per_second": [1.0], "response_seconds": [0.1]});
        let facts = facts(1.0);
        let account = WindowAccount {
            driver_fallback: Some("why".to_owned()),
            routes: Some(Routes {
                addresses: vec![String::new()],
                source_addresses: 1,
                connections_each: 1,
                ports_each: 1,
            }),
            tls: Some(TlsFacts { version: "1.3".into(), cipher_suite: String::new() }),
            handshakes: Some(Handshakes::default()),
            warm_up: Some(serde_json::from_value(warm_up).unwrap()),
            rows_used: [("table".to_owned(), 1)].into(),
            think_seconds: [("read".to_owned(), 0.1)].into(),
            ..facts.account
        };
        Summary::new(record, WindowFacts { account, begun_numbers: vec![1, 0], ..facts }, Some(&dataset))
    }

    /// The keys of a value, and of which kind what stands there is.
    fn shape(value: Value) -> Value {
        match value {
            Value::Null => "null".into(),
            Value::Bool(_) => "boolean".into(),
            Value::Number(_) => "number".into(),
            Value::String(_) => "string".into(),
            Value::Array(elements) => elements.into_iter().map(shape).reduce(both).into_iter().collect(),
            Value::Object(members) => members.into_iter().map(|(key, value)| (key, shape(value))).collect(),
        }
    }

    /// The shape of what has either.
    fn both(one: Value, other: Value) -> Value {
        match (one, other) {
            (Value::Object(mut one), Value::Object(other)) => {
                for (key, value) in other {
                    let before = one.remove(&key).unwrap_or("null".into());
                    one.insert(key, both(before, value));
                }
                one.into()
            }
            (one, other) if one == "null" => other,
            (one, _) => one,
        }
    }

    #[test]
    fn a_summary_has_the_keys_that_its_readers_are_held_to() {
        let written = shape(serde_json::to_value(filled()).unwrap());
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/summary_keys.json");
        let text = format!("{written:#}\n");
        if std::env::var_os("WRITE_SUMMARY_KEYS").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(path).unwrap_or_default();
        assert!(expected == text, "run with WRITE_SUMMARY_KEYS=1, and look at what changed in {path}");
    }

    #[test]
    fn windows_in_turn_add_every_count() {
        let windows: Vec<Part> = (0..3).map(|seed| Part { number: 0, of: 1, ..written(seed, 3) }).collect();
        let alone: Vec<Value> = (0..3)
            .map(|seed| {
                let (record, facts) = written(seed, 3).alone();
                serde_json::to_value(Summary::new(record, facts, None)).unwrap()
            })
            .collect();
        let whole = serde_json::to_value(Part::in_turn(windows).unwrap()).unwrap();
        let sum = |pointer: &str| -> f64 {
            alone.iter().map(|summary| summary.pointer(pointer).unwrap().as_f64().unwrap()).sum()
        };
        for pointer in [
            "/window_seconds",
            "/offered",
            "/sent",
            "/answers",
            "/failures",
            "/errors/timeout",
            "/errors/wrong_body",
            "/statuses/429/count",
            "/received_bytes",
            "/two_framings",
            "/unasked",
            "/unannounced_closes",
            "/retried",
            "/undrained",
            "/older_connections/open",
            "/older_connections/closes",
            "/unpacking/answers",
            "/unpacking/unchanged",
            "/unpacking/packed_bytes",
            "/unpacking/unpacked_bytes",
            "/unpacking/cpu_seconds",
            "/in_flight_at_start",
            "/in_flight_at_end",
            "/under_way/ended_seconds",
            "/waiting/at_end",
            "/cohort/drain_seconds",
            "/cohort/answers",
            "/mix/1/sent",
            "/mix/1/not_modified",
            "/mix/1/partial",
            "/journeys/0/count",
            "/journeys/0/steps/1/broken_off",
            "/journeys/0/journey_time/count",
            "/threads/0/cpu_seconds",
            "/response_time/count",
            "/response_time/at_least/count",
            "/traced",
        ] {
            let (found, expected) = (whole.pointer(pointer).unwrap().as_f64().unwrap(), sum(pointer));
            assert!(
                (found - expected).abs() <= 1e-9 * expected && expected > 0.0,
                "{pointer}: {found} {expected}"
            );
        }
        assert_eq!((&whole["waiting"]["limit"], &whole["waiting"]["peak"]), (&5.into(), &2.into()));
        assert_eq!(whole["oldest_in_flight_seconds"], 2.0);
        assert_eq!(whole["examples"][0], alone[0]["examples"][0]);
    }

    #[test]
    fn rows_that_were_answered_in_windows_in_turn_are_those_of_all_of_them() {
        let spec = items(10, 0.0);
        let dataset = Dataset::new(&spec).unwrap();
        let windows = (0..3).map(|seed| {
            let mut tallied = record(seed);
            tallied.picks = Some(PickCounts::new(&dataset));
            tallied.pick(7, true);
            tallied.pick(seed, seed > 0);
            Part::new(0, 1, 0.0, tallied, facts(1.0)).tallied_by(Some(spec.clone()))
        });
        let whole = Part::in_turn(windows.collect()).unwrap();
        let picks = serde_json::to_value(&whole).unwrap()["picks"].clone();
        assert_eq!((&picks["answered"], &picks["unknown"]), (&6.into(), &1.into()));
        assert_eq!((&picks["distinct"], &picks["pairs"]), (&3.into(), &3.into()));
    }

    #[test]
    fn every_bin_is_the_sum_of_the_parts() {
        let counts = |summaries: &[Value], value: u64| -> u64 {
            summaries.iter().map(|summary| histogram(summary).count_at(value)).sum()
        };
        let alone: Vec<Value> = (0..3)
            .map(|number| {
                let part = Part { number: 0, of: 1, ..written(number, 3) };
                serde_json::to_value(Part::merge(vec![part]).unwrap()).unwrap()
            })
            .collect();
        let whole =
            [serde_json::to_value(Part::merge((0..3).map(|n| written(n, 3)).collect()).unwrap()).unwrap()];
        let mut seen = 0;
        for value in histogram(&whole[0]).iter_recorded() {
            let at = value.value_iterated_to();
            assert_eq!(counts(&whole, at), counts(&alone, at));
            seen += value.count_at_value();
        }
        assert_eq!(seen, whole[0]["response_time"]["count"].as_u64().unwrap());
    }

    fn histogram(summary: &Value) -> hdrhistogram::Histogram<u64> {
        use base64::Engine as _;
        let text = summary["response_time"]["hdr_base64"].as_str().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
        hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap()
    }
}
