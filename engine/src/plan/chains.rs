//! Requests that take more than one exchange: redirects that are followed, and what is taken anew.

use super::{BodyPlan, InvalidPlan, Plan, RequestPlan, journey_steps};
use crate::redirects::is_redirect;

/// As a browser: the Fetch standard, section 4.4.
const MOST_REDIRECTS: u8 = 20;
const UNAUTHORIZED: u16 = 401;

/// The place of the request that the one at this place has sent anew: an earlier step of its journey, or a setup request,
/// which stand behind all others.
pub fn renewal_place(requests: &[RequestPlan], setup: &[RequestPlan], place: usize) -> Option<usize> {
    let name = requests[place].renew.as_deref()?;
    let is_named = |request: &&RequestPlan| request.name == name && !request.take.is_empty();
    let before = journey_steps(requests)[place].map_or(0, |step| step.step);
    let earlier = requests[place - before..place].iter().position(|request| is_named(&request));
    let of_setup = || setup.iter().position(|request| is_named(&request)).map(|at| requests.len() + at);
    earlier.map(|at| place - before + at).or_else(of_setup)
}

/// Checks what such requests go together with.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    for (place, (key, request)) in plan.entries().enumerate() {
        let invalid = |text: &str| InvalidPlan(format!("{key}.{text}"));
        if request.renew.is_some() && place >= plan.requests.len() {
            return Err(invalid("renew: it is what others have sent anew"));
        }
        of_request(plan, request).map_err(|text| invalid(&text))?;
        if request.renew.is_some() && renewal_place(&plan.requests, &plan.setup, place).is_none() {
            return Err(invalid(
                "renew: no earlier step of its journey and no setup request of this name takes a value",
            ));
        }
    }
    Ok(())
}

fn of_request(plan: &Plan, request: &RequestPlan) -> Result<(), String> {
    let (key, is_right) = match (request.follow_redirects, &request.renew) {
        (1.., _) => ("follow_redirects", request.expect.status.iter().find(|&&status| is_redirect(status))),
        (0, Some(_)) => ("renew", request.expect.status.iter().find(|&&status| status == UNAUTHORIZED)),
        (0, None) => return Ok(()),
    };
    if request.follow_redirects > MOST_REDIRECTS {
        return Err(format!("{key}: {} is not from 0 to {MOST_REDIRECTS}", request.follow_redirects));
    }
    if let Some(status) = is_right {
        return Err(format!("{key}: expect.status has {status}, which is then right as it is"));
    }
    if plan.websocket.is_some() {
        return Err(format!("{key}: a message has no status"));
    }
    if plan.pipeline > 1 || request.compared || request.is_spot_check() {
        return Err(format!("{key}: needs pipeline 1, and no compared or spot_check_at_seconds"));
    }
    if !plan.setup.is_empty() && plan.requests_per_connection.is_some() {
        return Err(format!(
            "{key}: with a setup it needs requests_per_connection null, as its last request on a connection ends it"
        ));
    }
    if matches!(request.expect.body, BodyPlan::Events(_)) {
        return Err(format!("{key}: the times of events are those of one answer"));
    }
    Ok(())
}
