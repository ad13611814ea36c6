//! Places in a JSON document, as JSON pointers in which `*` stands for any member or element.

/// A plan has no more of them: a place in a document is then known by the bits of one word.
pub(super) const MOST_PLACES: usize = 64;

/// What is done with the value at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Only its type counts.
    TypeAlone,
    /// The order of an array does not count.
    Unordered,
}

/// The places of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(Vec<Pattern>);

#[derive(Clone, Debug)]
struct Pattern {
    steps: Vec<Step>,
    action: Action,
}

#[derive(Clone, Debug)]
enum Step {
    Any,
    Named { name: String, place: Option<u64> },
}

/// Where in a document one is: which patterns the way there fits, and how long it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    fitting: u64,
    depth: usize,
}

impl Places {
    /// Adds a pointer. The error says what is wrong with it.
    pub(super) fn add(&mut self, pointer: &str, action: Action) -> Result<(), String> {
        if self.0.len() == MOST_PLACES {
            return Err(format!("{pointer:?}: there are more than {MOST_PLACES} pointers"));
        }
        let steps = match pointer.strip_prefix('/') {
            _ if pointer.is_empty() => Vec::new(),
            None => return Err(format!("{pointer:?}: a JSON pointer begins with /")),
            Some(rest) => rest.split('/').map(step).collect(),
        };
        self.0.push(Pattern { steps, action });
        Ok(())
    }

    /// The document as a whole.
    pub(super) fn root(&self) -> At {
        let fitting = if self.0.is_empty() { 0 } else { u64::MAX >> (64 - self.0.len()) };
        At { fitting, depth: 0 }
    }

    /// A member of the object that stands here.
    #[inline]
    pub(super) fn member(&self, at: At, name: &str) -> At {
        self.below(at, |step| match step {
            Step::Any => true,
            Step::Named { name: wanted, .. } => wanted == name,
        })
    }

    /// An element of the array that stands here, counted from 0.
    #[inline]
    pub(super) fn element(&self, at: At, place: u64) -> At {
        self.below(at, |step| match step {
            Step::Any => true,
            Step::Named { place: wanted, .. } => *wanted == Some(place),
        })
    }

    /// What is done with what stands here.
    #[inline]
    pub(super) fn action(&self, at: At) -> Option<Action> {
        let mut found = None;
        for_each(at.fitting, |number| {
            let pattern = &self.0[number];
            if pattern.steps.len() == at.depth && found != Some(Action::TypeAlone) {
                found = Some(pattern.action);
            }
        });
        found
    }

    #[inline]
    fn below(&self, at: At, fits: impl Fn(&Step) -> bool) -> At {
        let mut fitting = 0;
        for_each(at.fitting, |number| {
            if self.0[number].steps.get(at.depth).is_some_and(&fits) {
                fitting |= 1 << number;
            }
        });
        At { fitting, depth: at.depth + 1 }
    }
}

#[inline]
fn for_each(mut bits: u64, mut act: impl FnMut(usize)) {
    while bits != 0 {
        act(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

fn step(text: &str) -> Step {
    if text == "*" {
        return Step::Any;
    }
    Step::Named { name: text.replace("~1", "/").replace("~0", "~"), place: text.parse().ok() }
}
