//! Checks the keys of a plan, as far as the plan alone shows what is wrong.

use super::{
    Address, BodyPlan, ByteRange, InvalidPlan, Load, PROTOCOL, PickPlan, Plan, RequestPlan, RowsPlan, Step,
    Stop, journey_steps,
};

const MOST_CONNECTIONS: u32 = 1_000_000;
const MOST_THREADS: u32 = 1024;
const DEEPEST_PIPELINE: u32 = 64;
/// Of whatever has a length.
pub(super) const LONGEST_SECONDS: f64 = 7.0 * 86_400.0;
const LOWEST_RATE: f64 = 0.001;
const HIGHEST_RATE: f64 = 100_000_000.0;
const MOST_RECORDED: u64 = 100_000_000;
const MOST_CHANGED_ROWS: usize = 1000;
const MOST_SPOT_CHECKS: usize = 1000;

type Checked = Result<(), InvalidPlan>;

/// Checks a plan as a whole.
pub(super) fn plan(plan: &Plan) -> Checked {
    within("protocol", f64::from(plan.protocol), f64::from(PROTOCOL), f64::from(PROTOCOL))?;
    within("warmup_seconds", plan.warmup_seconds, 0.0, LONGEST_SECONDS)?;
    if let Some(seconds) = plan.kept_warmup_seconds {
        within("kept_warmup_seconds", seconds, 0.0, LONGEST_SECONDS)?;
    }
    if let Some(seconds) = plan.warmup_limit_seconds {
        within("warmup_limit_seconds", seconds, plan.warmup_seconds, LONGEST_SECONDS)?;
    }
    within("timeout_seconds", plan.timeout_seconds, 0.001, LONGEST_SECONDS)?;
    drain(plan)?;
    deadline(plan)?;
    halts(plan)?;
    within("trace_share", plan.trace_share, 0.0, 1.0)?;
    within("progress_every_seconds", plan.progress_every_seconds, 0.0, LONGEST_SECONDS)?;
    within("threads", f64::from(plan.threads), 1.0, f64::from(MOST_THREADS))?;
    within("pipeline", f64::from(plan.pipeline), 1.0, f64::from(DEEPEST_PIPELINE))?;
    within("record_intended", plan.record_intended as f64, 0.0, MOST_RECORDED as f64)?;
    if plan.requests_per_connection == Some(0) {
        return invalid("requests_per_connection: 0 is not at least 1");
    }
    if matches!(plan.address, Address::Unix(_)) && !plan.other_addresses.is_empty() {
        return invalid("other_addresses: a Unix socket has none");
    }
    if plan.changed_rows.len() > MOST_CHANGED_ROWS {
        let rows = plan.changed_rows.len();
        return invalid(&format!("changed_rows: {rows} rows, allowed are at most {MOST_CHANGED_ROWS}"));
    }
    for (name, table) in &plan.rows {
        rows(name, table)?;
    }
    load(&plan.load)?;
    stop(plan)?;
    pipeline(plan)?;
    if plan.requests.is_empty() {
        return invalid("requests: empty, at least one is needed");
    }
    if plan.cookies.is_some() && plan.reference.is_some() {
        return invalid(
            "cookies: answers to what users send by their own are not compared with a reference's",
        );
    }
    if plan.cookies.is_some() && plan.pipeline > 1 {
        return invalid("cookies: needs pipeline 1: nobody has an answer before the next request");
    }
    let steps = journey_steps(&plan.requests);
    for (place, planned) in plan.requests.iter().enumerate() {
        request(planned, &format!("requests[{place}]"))?;
        let goes_on = steps[place].is_some_and(|step| !step.is_last);
        think(plan, planned, goes_on, &format!("requests[{place}].think_seconds"))?;
    }
    spot_checks(plan)
}

fn drain(plan: &Plan) -> Checked {
    match plan.drain_seconds {
        Some(seconds) => within("drain_seconds", seconds, 0.0, LONGEST_SECONDS),
        None => Ok(()),
    }
}

fn deadline(plan: &Plan) -> Checked {
    match plan.deadline_seconds {
        Some(_) if !plan.load.is_open() => invalid(
            "deadline_seconds: needs an open load: a request of a closed one begins when it is intended to",
        ),
        Some(seconds) => within("deadline_seconds", seconds, 0.001, LONGEST_SECONDS),
        None => Ok(()),
    }
}

fn spot_checks(plan: &Plan) -> Checked {
    let mix = plan.mix().len();
    if mix == 0 {
        return invalid("requests: all are spot checks, at least one of the mix is needed");
    }
    let mut sent = 0;
    for (place, request) in plan.requests.iter().enumerate().skip(mix) {
        let key = format!("requests[{place}]");
        if !request.is_spot_check() {
            return invalid(&format!("{key}: stands behind a spot check; the mix comes first"));
        }
        if plan.pipeline > 1 || plan.reference.is_some() {
            return invalid(&format!("{key}.spot_check_at_seconds: needs pipeline 1 and no reference"));
        }
        if request.acknowledge
            || request.compared
            || request.expect.keep_bodies
            || request.think_seconds.is_some()
        {
            return invalid(&format!(
                "{key}: a spot check has no acknowledge, compared, expect.keep_bodies or think_seconds"
            ));
        }
        for &seconds in &request.spot_check_at_seconds {
            within(&format!("{key}.spot_check_at_seconds"), seconds, 0.0, LONGEST_SECONDS)?;
        }
        sent += request.spot_check_at_seconds.len();
    }
    if sent > MOST_SPOT_CHECKS {
        return invalid(&format!(
            "requests: {sent} spot checks are to be sent, allowed are at most {MOST_SPOT_CHECKS}"
        ));
    }
    Ok(())
}

fn rows(name: &str, rows: &RowsPlan) -> Checked {
    let key = format!("rows.{name}");
    if name.is_empty() || name.contains(|letter: char| letter.is_whitespace() || letter == '}') {
        return invalid(&format!("rows: {name:?} can stand in no placeholder"));
    }
    if rows.file.is_some() == rows.lines.is_some() {
        return invalid(&format!("{key}: needs one of file and lines"));
    }
    match rows.pick {
        PickPlan::Zipf { exponent } => within(&format!("{key}.pick.exponent"), exponent, 0.01, 20.0),
        _ => Ok(()),
    }
}

fn halts(plan: &Plan) -> Checked {
    let has_journeys = || plan.requests.iter().any(|request| request.journey.is_some());
    if plan.halts
        && (plan.load.is_open()
            || plan.pipeline > 1
            || plan.streams().is_some()
            || plan.websocket.is_some()
            || has_journeys())
    {
        return invalid(
            "halts: needs a load of kind \"closed\" without journeys, pipeline 1, http2 null and websocket null",
        );
    }
    Ok(())
}

fn load(load: &Load) -> Checked {
    let rate = |key: &str, rate: f64, least: f64| within(key, rate, least, HIGHEST_RATE);
    within("load.connections", f64::from(load.connections()), 1.0, f64::from(MOST_CONNECTIONS))?;
    match load {
        Load::Closed { think_time_seconds, local_ports, .. } => {
            if *local_ports == Some(0) {
                return invalid("load.local_ports: 0 is not at least 1");
            }
            within("load.think_time_seconds", *think_time_seconds, 0.0, LONGEST_SECONDS)
        }
        Load::Constant { rate_per_second, .. } | Load::Poisson { rate_per_second, .. } => {
            rate("load.rate_per_second", *rate_per_second, LOWEST_RATE)
        }
        Load::Ramp { from_per_second, to_per_second, .. } => {
            rate("load.from_per_second", *from_per_second, 0.0)?;
            rate("load.to_per_second", *to_per_second, 0.0)?;
            if *from_per_second + *to_per_second < LOWEST_RATE {
                return invalid("load: from_per_second and to_per_second are both 0");
            }
            Ok(())
        }
        Load::Steps { steps, .. } => {
            if steps.is_empty() {
                return invalid("load.steps: empty, at least one is needed");
            }
            for (place, Step { rate_per_second, seconds }) in steps.iter().enumerate() {
                let key = |name: &str| format!("load.steps[{place}].{name}");
                rate(&key("rate_per_second"), *rate_per_second, 0.0)?;
                within(&key("seconds"), *seconds, 0.001, LONGEST_SECONDS)?;
            }
            if steps.iter().all(|step| step.rate_per_second < LOWEST_RATE) {
                return invalid("load.steps: every rate_per_second is 0");
            }
            Ok(())
        }
    }
}

fn stop(plan: &Plan) -> Checked {
    match (plan.stop, &plan.load) {
        (Some(Stop::Seconds { seconds }), _) => within("stop.seconds", seconds, 0.001, LONGEST_SECONDS),
        (Some(Stop::Requests { requests: 0 }), _) => invalid("stop.requests: 0 is not at least 1"),
        (Some(Stop::Requests { .. }), Load::Closed { local_ports: Some(_), .. }) => {
            invalid("stop.kind: answers end with the local ports, so load.local_ports needs \"seconds\"")
        }
        (Some(Stop::Requests { .. }), Load::Ramp { .. }) => {
            invalid("stop.kind: a ramp is linear over the window, so it needs \"seconds\"")
        }
        (Some(Stop::Requests { .. }), Load::Steps { steps, .. })
            if steps.last().is_some_and(|step| step.rate_per_second == 0.0) =>
        {
            invalid("stop.kind: the last step's rate is 0, so it needs \"seconds\"")
        }
        (None, Load::Steps { .. }) | (Some(Stop::Requests { .. }), _) => Ok(()),
        (None, _) => invalid("missing field `stop`: only a load of kind \"steps\" ends by itself"),
    }
}

fn pipeline(plan: &Plan) -> Checked {
    if plan.pipeline == 1 {
        return Ok(());
    }
    if !matches!(plan.load, Load::Closed { think_time_seconds: 0.0, .. }) {
        return invalid("pipeline: above 1 it needs a load of kind \"closed\" without think time");
    }
    if plan.load.local_ports().is_some() {
        return invalid("load.local_ports: needs pipeline 1");
    }
    if let Some(place) = plan.requests.iter().position(|request| request.acknowledge) {
        return invalid(&format!("requests[{place}].acknowledge: needs pipeline 1"));
    }
    if plan.requests_per_connection.is_some() {
        return invalid("pipeline: above 1 it needs requests_per_connection null");
    }
    Ok(())
}

pub(super) fn request(request: &RequestPlan, key: &str) -> Checked {
    let invalid = |text: String| Err(InvalidPlan(format!("{key}.{text}")));
    let expect = &request.expect;
    if request.weight == 0 {
        return invalid("weight: 0 is not at least 1".to_owned());
    }
    let bodies = [
        ("body", request.body.is_some()),
        ("body_file", request.body_file.is_some()),
        ("body_base64", request.body_base64.is_some()),
        ("body_parts", !request.body_parts.is_empty()),
    ];
    let mut present = bodies.iter().filter(|(_, is_present)| *is_present);
    let first = present.next();
    if let Some((key, _)) = present.next() {
        return invalid(format!("{key}: there is a body already, only one of them is allowed"));
    }
    if request.chunked && first.is_none() {
        return invalid("chunked: there is no body to send in chunks".to_owned());
    }
    if expect.check_every == 0 {
        return invalid("expect.check_every: 0 is not at least 1".to_owned());
    }
    if let Some(status) = expect.status.iter().find(|status| !(100..=599).contains(*status)) {
        return invalid(format!("expect.status: {status} is not from 100 to 599"));
    }
    if let BodyPlan::Json { values } = &expect.body
        && values.is_empty()
    {
        return invalid("expect.body.values: empty, at least one is needed".to_owned());
    }
    if let BodyPlan::Events(events) = &expect.body {
        events.check(&format!("{key}.expect.body"))?;
    }
    if matches!(expect.body, BodyPlan::Json { .. } | BodyPlan::Digest { .. } | BodyPlan::Events(_))
        && request.method == "HEAD"
    {
        return invalid("expect.body: an answer to HEAD has none".to_owned());
    }
    if !expect.trailer.is_empty() && request.method == "HEAD" {
        return invalid("expect.trailer: an answer to HEAD has none".to_owned());
    }
    if let Some(ByteRange { min, max }) = expect.body_bytes.filter(|range| range.min > range.max) {
        return invalid(format!("expect.body_bytes: min {min} is above max {max}"));
    }
    Ok(())
}

fn think(plan: &Plan, request: &RequestPlan, goes_on: bool, key: &str) -> Checked {
    let Some(think) = &request.think_seconds else { return Ok(()) };
    if plan.load.is_open() && !goes_on {
        return invalid(&format!(
            "{key}: needs a load of kind \"closed\", or a later step: nobody waits for the last answer in an open one"
        ));
    }
    if plan.pipeline > 1 {
        return invalid(&format!("{key}: needs pipeline 1"));
    }
    think.delay().map(|_| ()).or_else(|text| invalid(&format!("{key}: {text}")))
}

fn within(key: &str, value: f64, least: f64, most: f64) -> Checked {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    invalid(&format!("{key}: {value} is not from {least} to {most}"))
}

fn invalid(text: &str) -> Checked {
    Err(InvalidPlan(text.to_owned()))
}
