//! All requests of a plan, compiled once before the run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::http1::request::{EncodedRequest, encode};
use crate::http1::response::Accepted;
use crate::plan::{RequestPlan, TakePlan, journey_steps, renewal_place};
use crate::redirects::Origin;
use crate::session::Chain;
use crate::template::Sources;
use crate::variables::{Taking, VariableSources};
use crate::verify::Expectation;

/// Compiles the requests of the mix, the spot checks, and behind them the setup requests. Gives the variables that they
/// take. `sources`: what placeholders take from, without variables.
///
/// # Errors
/// The key that does not fit and what is allowed.
pub fn compile(
    requests: &[RequestPlan],
    setup: &[RequestPlan],
    host: &str,
    sources: Sources<'_>,
) -> Result<(Vec<EncodedRequest>, VariableSources), String> {
    let mut variables = VariableSources::default();
    let mut chains = chains(requests, setup, host, sources.is_secure);
    let mut setup_chains = chains.split_off(requests.len());
    let is_rendered = |chain: &Option<Box<Chain>>| chain.is_some();
    let mut setup_requests = Vec::new();
    for (place, plan) in setup.iter().enumerate() {
        // Nothing of it is measured.
        let chain = setup_chains[place].take();
        let untraced = Sources { is_traced: false, is_rendered: is_rendered(&chain), ..sources };
        let compiled = compile_request(plan, host, untraced, &mut variables);
        let compiled = compiled.map_err(|text| format!("setup[{place}].{text}"))?;
        setup_requests.push(EncodedRequest { chain, ..compiled });
    }
    variables.share();
    let mut compiled_requests = Vec::new();
    for (place, (plan, step)) in requests.iter().zip(journey_steps(requests)).enumerate() {
        if step.is_none_or(|step| step.step == 0) {
            variables.begin_journey();
        }
        let chain = chains[place].take();
        let sources = Sources { is_rendered: is_rendered(&chain), ..sources };
        let compiled = compile_request(plan, host, sources, &mut variables);
        let compiled = compiled.map_err(|text| format!("requests[{place}].{text}"))?;
        compiled_requests.push(EncodedRequest { step, chain, ..compiled });
    }
    compiled_requests.extend(setup_requests);
    Ok((compiled_requests, variables))
}

/// By place, what each request asks for beyond one exchange; the setup requests stand behind the others.
fn chains(
    requests: &[RequestPlan],
    setup: &[RequestPlan],
    host: &str,
    is_secure: bool,
) -> Vec<Option<Box<Chain>>> {
    let renewals: Vec<Option<usize>> =
        (0..requests.len()).map(|place| renewal_place(requests, setup, place)).collect();
    let origin = Origin::new(host, is_secure);
    let mut remembered = 0..;
    let chain = |(place, plan): (usize, &RequestPlan)| {
        let renews = renewals.get(place).copied().flatten();
        let is_remembered = renews.is_some() || renewals.contains(&Some(place));
        let asks = plan.follow_redirects > 0 || is_remembered;
        asks.then(|| {
            Box::new(Chain {
                most_redirects: plan.follow_redirects,
                origin: origin.clone(),
                renews,
                remembered: if is_remembered { remembered.next() } else { None },
            })
        })
    };
    requests.iter().chain(setup).enumerate().map(chain).collect()
}

fn compile_request(
    plan: &RequestPlan,
    host: &str,
    sources: Sources<'_>,
    variables: &mut VariableSources,
) -> Result<EncodedRequest, String> {
    Expectation::check_header(&plan.expect, sources)?;
    let body = read_body(plan)?;
    let encoded = encode(plan, host, body.as_deref(), Sources { variables: Some(&*variables), ..sources })?;
    Expectation::new(&plan.expect, sources, encoded.message.tables())?;
    let take = |(name, take): (&String, &TakePlan)| Taking::new(name, variables.add(name)?, take);
    let takes = plan.take.iter().map(take).collect::<Result<Vec<Taking>, String>>()?;
    if encoded.is_head && takes.iter().any(Taking::is_in_body) {
        return Err("take: an answer to HEAD has no body".to_owned());
    }
    Ok(EncodedRequest { takes, ..encoded })
}

/// One thread's expectations of the answers to compiled requests, at the same places.
///
/// # Errors
/// As of [`compile`].
pub fn expectations(
    requests: &[RequestPlan],
    setup: &[RequestPlan],
    compiled: &[EncodedRequest],
    sources: Sources<'_>,
) -> Result<Vec<Expectation>, String> {
    let plans = requests.iter().chain(setup).zip(compiled).enumerate();
    let of_request = |(place, (plan, request)): (usize, (&RequestPlan, &EncodedRequest))| {
        let mut expectation = Expectation::new(&plan.expect, sources, request.message.tables())?;
        if sources.is_websocket {
            expectation = expectation.of_messages();
        } else {
            expectation = expectation.unpacking(Accepted::of(&plan.headers));
        }
        if !request.takes.is_empty() || sources.has_cookies || request.chain.is_some() {
            expectation = expectation.keeping_head(request.takes.iter().any(Taking::is_in_body));
        }
        Ok(if place < requests.len() { expectation } else { expectation.checking_every() })
    };
    plans.map(of_request).collect()
}

/// What a request's `body_file` or `body_base64` holds.
fn read_body(request: &RequestPlan) -> Result<Option<Vec<u8>>, String> {
    if let Some(text) = &request.body_base64 {
        return STANDARD.decode(text).map(Some).map_err(|error| format!("body_base64: {error}"));
    }
    let Some(path) = &request.body_file else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(|error| format!("body_file: {}: {error}", path.display()))?;
    Ok(Some(bytes))
}
