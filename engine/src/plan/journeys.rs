//! Journeys: requests of one user that follow each other, and take values of answers that came before.

use super::{InvalidPlan, Plan, RequestPlan};

/// A request's place in its journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JourneyStep {
    /// Which one it is, in the order in which the plan has them.
    pub journey: usize,
    /// From 0.
    pub step: usize,
    /// Nothing follows it.
    pub is_last: bool,
}

/// By place among the requests, what each is in its journey; `None` for one that is in none.
pub fn journey_steps(requests: &[RequestPlan]) -> Vec<Option<JourneyStep>> {
    let mut steps: Vec<Option<JourneyStep>> = Vec::new();
    let mut journeys = 0;
    for (place, request) in requests.iter().enumerate() {
        let is_of_same =
            |other: Option<&RequestPlan>| other.is_some_and(|other| other.journey == request.journey);
        let is_last = !is_of_same(requests.get(place + 1));
        let step =
            request.journey.as_ref().map(|_| match place.checked_sub(1).and_then(|before| steps[before]) {
                Some(before) if !before.is_last => JourneyStep { step: before.step + 1, is_last, ..before },
                _ => {
                    journeys += 1;
                    JourneyStep { journey: journeys - 1, step: 0, is_last }
                }
            });
        steps.push(step);
    }
    steps
}

/// The weights of the mix's requests: a journey's is that of its first step, and what follows in it has none.
pub fn mix_weights(mix: &[RequestPlan]) -> Vec<u32> {
    let steps = journey_steps(mix);
    let weight = |(request, step): (&RequestPlan, &Option<JourneyStep>)| match step {
        Some(JourneyStep { step: 1.., .. }) => 0,
        _ => request.weight,
    };
    mix.iter().zip(&steps).map(weight).collect()
}

/// Checks the steps of journeys, and who else takes values.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    let steps = journey_steps(&plan.requests);
    for (place, (request, step)) in plan.requests.iter().zip(&steps).enumerate() {
        let invalid = |text: &str| Err(InvalidPlan(format!("requests[{place}].{text}")));
        let Some(step) = step else {
            if request.take.is_empty() {
                continue;
            }
            return invalid("take: needs a journey, whose later steps can use what it takes");
        };
        let began_before =
            plan.requests[..place - step.step].iter().any(|other| other.journey == request.journey);
        if began_before {
            return invalid(
                "journey: there is one of this name before: its steps stand one behind the other",
            );
        }
        if step.step > 0 && request.weight != 1 {
            return invalid("weight: a journey's is that of its first step");
        }
        if request.is_spot_check() || request.compared {
            return invalid("journey: a step has no spot_check_at_seconds or compared");
        }
        super::setup::takes(request).or_else(|text| invalid(&text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_of_one_name_that_stand_together_are_steps() {
        let names = [Some("a"), Some("a"), None, Some("b"), Some("c"), Some("c"), Some("c")];
        let request = |journey| serde_json::from_value(json!({"path": "/", "journey": journey})).unwrap();
        let requests: Vec<RequestPlan> = names.map(request).into();
        let step = |journey, step, is_last| Some(JourneyStep { journey, step, is_last });
        let expected = [
            step(0, 0, false),
            step(0, 1, true),
            None,
            step(1, 0, true),
            step(2, 0, false),
            step(2, 1, false),
            step(2, 2, true),
        ];
        assert_eq!(journey_steps(&requests), expected);
    }
}
