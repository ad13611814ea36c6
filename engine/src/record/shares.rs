//! Counts and times of each kind of request in the mix.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::times::Times;

/// The kinds of requests in a mix: requests of the same name are of one kind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RequestKinds {
    names: Vec<String>,
    /// By place in the mix, a place in `names`; then one behind the last for each spot check, and another one behind that
    /// for each setup request.
    kinds: Vec<usize>,
    /// How many requests the mix has.
    of_mix: usize,
}

impl RequestKinds {
    /// `requests`: their names, by place in the mix.
    pub fn new<'n>(requests: impl IntoIterator<Item = &'n str>) -> RequestKinds {
        let mut names: Vec<String> = Vec::new();
        let kinds = requests
            .into_iter()
            .map(|name| {
                names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                })
            })
            .collect::<Vec<_>>();
        let of_mix = kinds.len();
        RequestKinds { names, kinds, of_mix }
    }

    /// The same with so many spot checks behind the mix, which are of one kind without a name.
    pub fn with_spot_checks(mut self, count: usize) -> RequestKinds {
        self.kinds.resize(self.of_mix + count, self.names.len());
        self
    }

    /// The same with so many setup requests behind the spot checks, which are of one kind without a name.
    pub fn with_setup(mut self, count: usize) -> RequestKinds {
        self.kinds.resize(self.kinds.len() + count, self.names.len() + 1);
        self
    }

    /// How many kinds there are, those of spot checks and of setup requests included.
    pub(super) fn count(&self) -> usize {
        self.names.len() + 2
    }

    /// The kind of all setup requests.
    pub(super) fn of_setup(&self) -> usize {
        self.names.len() + 1
    }

    /// True if the request at this place is one of the mix's.
    #[inline]
    pub fn is_of_mix(&self, request: usize) -> bool {
        request < self.of_mix
    }

    /// Their names, in the order in which they first come in the mix.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The kind of the request at this place.
    #[inline]
    pub fn of(&self, request: usize) -> usize {
        self.kinds[request]
    }
}

/// Counts of one kind of request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RequestCounts {
    /// Requests whose first byte was handed to the kernel.
    pub sent: u64,
    /// Complete answers, wrong ones included.
    pub answers: u64,
    /// Answers that passed every expectation.
    pub verified: u64,
    /// Of these, with status 304: without a body.
    pub not_modified: u64,
    /// Of these, with status 206: a part of a body.
    pub partial: u64,
    /// Redirects that were followed.
    pub redirects: u64,
    /// Requests that were sent again, with values that were taken anew.
    pub renewals: u64,
    /// Requests that ended without a complete answer.
    pub failures: u64,
    /// As `sent`, but since the begin of the run, and whatever was still handed over at its end.
    pub run_sent: u64,
    /// As `verified`, but since the begin of the run.
    pub run_verified: u64,
}

impl RequestCounts {
    /// Both together.
    pub fn plus(self, other: RequestCounts) -> RequestCounts {
        RequestCounts {
            sent: self.sent + other.sent,
            answers: self.answers + other.answers,
            verified: self.verified + other.verified,
            not_modified: self.not_modified + other.not_modified,
            partial: self.partial + other.partial,
            redirects: self.redirects + other.redirects,
            renewals: self.renewals + other.renewals,
            failures: self.failures + other.failures,
            run_sent: self.run_sent + other.run_sent,
            run_verified: self.run_verified + other.run_verified,
        }
    }
}

/// One kind of request in the mix, as a summary holds it.
#[derive(Clone, Debug, Serialize)]
pub struct RequestShare {
    name: String,
    #[serde(flatten)]
    counts: RequestCounts,
    service_time: Option<Distribution>,
    response_time: Option<Distribution>,
    first_byte_time: Option<Distribution>,
}

impl RequestShare {
    /// Names the counts. `times`: `None` if they are not kept by kind.
    pub fn new(name: &str, counts: RequestCounts, times: Option<Times>) -> RequestShare {
        let (service_time, response_time, first_byte_time) = match times {
            Some(Times { service, response, first_byte }) => {
                (Some(service), Some(response), Some(first_byte))
            }
            None => (None, None, None),
        };
        RequestShare { name: name.to_owned(), counts, service_time, response_time, first_byte_time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_the_same_name_are_of_one_kind() {
        let kinds = RequestKinds::new(["light", "heavy", "light", ""]);
        assert_eq!(kinds.names(), ["light", "heavy", ""]);
        assert_eq!([0, 1, 2, 3].map(|request| kinds.of(request)), [0, 1, 0, 2]);
    }
}
