//! Setup requests, compiled once before the run.

use std::sync::Arc;

use crate::http1::request::{EncodedRequest, encode};
use crate::plan::{SetupPlan, TakePlan};
use crate::template::Sources;
use crate::variables::{Taking, VariableSources};
use crate::verify::Expectation;

/// A setup request, ready to be sent on any connection.
#[derive(Clone, Debug)]
pub struct SetupRequest {
    /// As the plan calls it.
    pub name: String,
    /// What is sent.
    pub encoded: EncodedRequest,
    /// The variables that its answer has.
    pub takes: Vec<Taking>,
}

/// Compiles the setup requests of a plan, and gives the variables that they take. `bodies`: what the `body_file` of each
/// holds. `sources`: what placeholders take from, without variables.
///
/// # Errors
/// The key that does not fit and what is allowed.
pub fn compile(
    plans: &[SetupPlan],
    host: &str,
    bodies: &[Option<Vec<u8>>],
    sources: Sources<'_>,
) -> Result<(Arc<[SetupRequest]>, VariableSources), String> {
    let mut variables = VariableSources::default();
    let mut requests = Vec::new();
    for (place, (plan, body)) in plans.iter().zip(bodies).enumerate() {
        let named = |text: String| format!("setup[{place}].{text}");
        let taken_before = Sources { variables: Some(&variables), ..sources };
        let encoded = encode(&plan.request(), host, body.as_deref(), taken_before).map_err(named)?;
        Expectation::new(&plan.expect, sources, encoded.message.tables()).map_err(named)?;
        let take = |(name, take): (&String, &TakePlan)| {
            let variable = variables.add(name)?;
            Taking::new(name, variable, take)
        };
        let takes: Vec<Taking> = plan.take.iter().map(take).collect::<Result<_, _>>().map_err(named)?;
        if encoded.is_head && takes.iter().any(Taking::is_in_body) {
            return Err(named("take: an answer to HEAD has no body".to_owned()));
        }
        requests.push(SetupRequest { name: plan.name.clone(), encoded, takes });
    }
    Ok((requests.into(), variables))
}

/// One thread's expectations of the answers, at the same places.
///
/// # Errors
/// As of [`compile`].
pub fn expectations(
    plans: &[SetupPlan],
    requests: &[SetupRequest],
    sources: Sources<'_>,
) -> Result<Vec<Expectation>, String> {
    let of_request = |(plan, request): (&SetupPlan, &SetupRequest)| {
        let takes_body = request.takes.iter().any(Taking::is_in_body);
        let expectation = Expectation::new(&plan.expect, sources, request.encoded.message.tables())?;
        Ok(expectation.checking_every().keeping_head(takes_body))
    };
    plans.iter().zip(requests).map(of_request).collect()
}
