//! Bodies that must be one text, in which texts of rows may change during the run.

use crate::plan::ChangedTextPlan;
use crate::record::Sighting;

/// Compares bodies with a text.
#[derive(Debug)]
pub(super) struct ExactBody {
    text: Vec<u8>,
    /// Ascending, and none reaches into the next.
    places: Vec<Place>,
}

/// Where a row's text stands.
#[derive(Debug)]
struct Place {
    id: u64,
    at: usize,
    /// The new text, as long as the old one.
    text: Vec<u8>,
}

impl ExactBody {
    /// The error names what is wrong with `changed`.
    pub(super) fn new(text: Vec<u8>, changed: &[ChangedTextPlan]) -> Result<ExactBody, String> {
        let mut places = Vec::new();
        let mut free_from = 0;
        for (number, plan) in changed.iter().enumerate() {
            let invalid = |what: &str| Err(format!("expect.body.changed[{number}].at: {what}"));
            let (new, at) = (plan.text.as_bytes(), plan.at as usize);
            if at < free_from {
                return invalid("within the text before it, or in front of it");
            }
            let Some(old) = at.checked_add(new.len()).and_then(|end| text.get(at..end)) else {
                return invalid("the body ends before this text does");
            };
            if old == new {
                return invalid("this text stands there already");
            }
            free_from = at + new.len();
            places.push(Place { id: plan.id, at, text: new.to_vec() });
        }
        Ok(ExactBody { text, places })
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// True if a body of the right length is the text. `seen` is told which text stands at each place of a changed row;
    /// that holds only if the body is the text.
    pub(super) fn fits(&self, body: &[u8], seen: &mut Vec<Sighting>) -> bool {
        let mut compared = 0;
        for Place { id, at, text } in &self.places {
            let end = at + text.len();
            let is_changed = &body[*at..end] == text.as_slice();
            if body[compared..*at] != self.text[compared..*at]
                || (!is_changed && body[*at..end] != self.text[*at..end])
            {
                return false;
            }
            seen.push(Sighting { id: *id, is_changed });
            compared = end;
        }
        body[compared..] == self.text[compared..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(id: u64, at: u64, text: &str) -> ChangedTextPlan {
        ChangedTextPlan { id, at, text: text.to_owned() }
    }

    #[test]
    fn each_place_shows_the_old_or_the_new_text_and_nothing_else() {
        let body =
            ExactBody::new(b"[art,tea,sea]".into(), &[change(1, 1, "bsu"), change(2, 9, "tfb")]).unwrap();
        let seen = |text: &str| {
            let mut seen = Vec::new();
            body.fits(text.as_bytes(), &mut seen)
                .then(|| seen.iter().map(|seen| (seen.id, seen.is_changed)).collect::<Vec<_>>())
        };
        assert_eq!(seen("[art,tea,sea]"), Some(vec![(1, false), (2, false)]));
        assert_eq!(seen("[bsu,tea,sea]"), Some(vec![(1, true), (2, false)]));
        assert_eq!(seen("[art,tea,tfb]"), Some(vec![(1, false), (2, true)]));
        for other in ["[asu,tea,sea]", "[bsu,tfa,sea]", "[bsu,tea,seb]", "[art,tea,sea}", "{art,tea,sea]"] {
            assert_eq!(seen(other), None, "{other}");
        }
    }

    #[test]
    fn places_that_do_not_fit_are_refused() {
        for (changed, what) in [
            (vec![change(1, 4, "xy")], "changed[0].at: the body ends"),
            (vec![change(1, u64::MAX, "xy")], "changed[0].at: the body ends"),
            (vec![change(1, 0, "ab")], "changed[0].at: this text stands there"),
            (vec![change(1, 0, "xy"), change(2, 1, "xy")], "changed[1].at: within"),
            (vec![change(1, 2, "xy"), change(2, 0, "xy")], "changed[1].at: within"),
            (vec![change(1, 0, "")], "changed[0].at: this text stands there"),
        ] {
            let text = ExactBody::new(b"abcde".into(), &changed).unwrap_err();
            assert!(text.contains(what), "{text}");
        }
    }
}
