//! The requests that each connection sends before the load.

use super::{InvalidPlan, Load, Plan, RequestPlan};
use crate::template::{Part, Placeholder, parse};

/// Checks what setup requests go together with.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    if plan.setup.is_empty() {
        return Ok(());
    }
    let reason = if plan.pipeline > 1 {
        "needs pipeline 1"
    } else if plan.requests_per_connection == Some(1) {
        "every request would have setup requests of its own, so it needs requests_per_connection null or above 1"
    } else if plan.reference.is_some() {
        "each connection has its own answers, so none are compared: it needs reference null"
    } else if matches!(plan.load, Load::Closed { local_ports: Some(_), .. }) {
        "needs load.local_ports null"
    } else {
        return plan.setup.iter().enumerate().try_for_each(|(place, setup)| of_request(place, setup));
    };
    Err(InvalidPlan(format!("setup: {reason}")))
}

fn of_request(place: usize, setup: &RequestPlan) -> Result<(), InvalidPlan> {
    let key = format!("setup[{place}]");
    super::check::request(setup, &key)?;
    let invalid = |text: &str| Err(InvalidPlan(format!("{key}.{text}")));
    if setup.is_spot_check()
        || setup.journey.is_some()
        || setup.acknowledge
        || setup.compared
        || setup.weight != 1
        || setup.think_seconds.is_some()
    {
        return Err(InvalidPlan(format!(
            "{key}: it is none of the mix, so it has none of the keys for that"
        )));
    }
    if setup.expect.keep_bodies {
        return invalid("expect.keep_bodies: bodies of setup requests may hold credentials");
    }
    takes(setup).or_else(|text| invalid(&text))?;
    let texts = setup.headers.iter().map(|(_, value)| value).chain([&setup.path]).chain(&setup.body);
    for text in texts.filter(|_| setup.template) {
        let is_drawn = |part: &Part<'_>| matches!(part, Part::Placeholder(each) if !matches!(each, Placeholder::Row { .. } | Placeholder::Variable { .. }));
        if parse(text).is_ok_and(|parts| parts.iter().any(is_drawn)) {
            return invalid("template: only {{row …}} and {{var …}} can stand in a setup request");
        }
    }
    Ok(())
}

/// Checks the names of the values that are taken of an answer, and who else sees it.
///
/// # Errors
/// The key that does not fit.
pub(super) fn takes(request: &RequestPlan) -> Result<(), String> {
    for name in request.take.keys() {
        if name.is_empty() || name.contains(|letter: char| letter.is_whitespace() || letter == '}') {
            return Err(format!("take: {name:?} can stand in no placeholder"));
        }
    }
    if request.expect.keep_bodies && !request.take.is_empty() {
        return Err("expect.keep_bodies: what is taken of an answer may be a credential".to_owned());
    }
    Ok(())
}
