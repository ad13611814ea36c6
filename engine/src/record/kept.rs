//! Right answers that are kept as they came, for whoever runs the engine to look at more closely.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};

/// Of one request, over all threads, so many different bodies are kept at most.
const MOST_BODIES: usize = 16_384;

/// All bodies that are kept have at most so many bytes together, over all threads.
const MOST_BYTES: usize = 64 << 20;

/// A longer body is not kept.
pub const LONGEST_BODY_BYTES: usize = 1 << 20;

/// One thread's bodies, by the place of their request in the mix.
///
/// Equal bodies are kept once. If there are more different ones than fit, each has the same chance to be among them,
/// whenever it comes: a program that answers rightly only at first is found out.
///
/// What is written of them is how many were left out: the bodies themselves are handed on before.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct KeptBodies {
    #[serde(skip)]
    by_request: Vec<OfRequest>,
    #[serde(skip)]
    most_bodies: usize,
    #[serde(skip)]
    most_bytes: usize,
    /// With keys of its own in each process: no server can choose bodies that are taken for each other.
    #[serde(skip)]
    hasher: RandomState,
    left_out: u64,
}

#[derive(Debug, Default)]
struct OfRequest {
    bodies: Vec<KeptBody>,
    /// By hash, the place in `bodies`.
    places: HashMap<u64, usize>,
    bytes: usize,
    /// Bodies that were not among those kept when they came.
    candidates: u64,
}

/// A body that came in right answers.
#[derive(Debug, PartialEq, Eq)]
pub struct KeptBody {
    hash: u64,
    /// Of the answer.
    pub status: u16,
    /// In how many of the answers that were looked at.
    pub times: u64,
    /// As it came.
    pub bytes: Vec<u8>,
}

impl KeptBodies {
    /// None yet, of a mix of so many requests. `shares`: among how many they share what may be kept, which is the
    /// number of threads times that of requests whose bodies are kept.
    pub fn new(requests: usize, shares: usize) -> KeptBodies {
        let shares = shares.max(1);
        KeptBodies {
            by_request: (0..requests).map(|_| OfRequest::default()).collect(),
            most_bodies: (MOST_BODIES / shares).max(1),
            most_bytes: MOST_BYTES / shares,
            ..KeptBodies::default()
        }
    }

    /// Takes note of the answer to the request at this place. `body`: all of it, or its front if it has more bytes than
    /// [`LONGEST_BODY_BYTES`].
    pub fn keep(&mut self, request: usize, status: u16, body: &[u8], body_bytes: u64) {
        let Some(kept) = self.by_request.get_mut(request) else { return };
        if body_bytes > LONGEST_BODY_BYTES as u64 {
            self.left_out += 1;
            return;
        }
        let hash = self.hasher.hash_one((status, body));
        if let Some(&place) = kept.places.get(&hash) {
            kept.bodies[place].times += 1;
            return;
        }
        kept.candidates += 1;
        let mut bytes_after = kept.bytes + body.len();
        let is_room = kept.bodies.len() < self.most_bodies && bytes_after <= self.most_bytes;
        let place = if is_room { kept.bodies.len() } else { (hash % kept.candidates) as usize };
        if let (false, Some(former)) = (is_room, kept.bodies.get(place)) {
            bytes_after -= former.bytes.len();
        }
        if bytes_after > self.most_bytes || (!is_room && place >= kept.bodies.len()) {
            self.left_out += 1;
            return;
        }
        let body = KeptBody { hash, status, times: 1, bytes: body.to_vec() };
        kept.bytes = bytes_after;
        kept.places.insert(hash, place);
        if is_room {
            kept.bodies.push(body);
        } else {
            let former = std::mem::replace(&mut kept.bodies[place], body);
            kept.places.remove(&former.hash);
            self.left_out += former.times;
        }
    }

    /// The body of an answer is to be kept and may not be shown.
    pub fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Of how many answers the body was to be kept and is not.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Each body with the place of its request in the mix.
    pub fn bodies(&self) -> impl Iterator<Item = (usize, &KeptBody)> {
        let requests = self.by_request.iter().enumerate();
        requests.flat_map(|(request, kept)| kept.bodies.iter().map(move |body| (request, body)))
    }

    /// Adds another thread's bodies. Those that both have are there twice.
    pub fn merge(&mut self, other: KeptBodies) {
        self.left_out += other.left_out;
        for (kept, added) in self.by_request.iter_mut().zip(other.by_request) {
            kept.bodies.extend(added.bodies);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bodies: &KeptBodies) -> Vec<(usize, u64, usize)> {
        bodies.bodies().map(|(request, body)| (request, body.times, body.bytes.len())).collect()
    }

    #[test]
    fn equal_bodies_are_kept_once() {
        let mut bodies = KeptBodies::new(2, 1);
        for (request, status, body) in
            [(0, 200, "ab"), (0, 200, "ab"), (0, 201, "ab"), (1, 200, "ab"), (2, 200, "")]
        {
            bodies.keep(request, status, body.as_bytes(), body.len() as u64);
        }
        assert_eq!(kept(&bodies), [(0, 2, 2), (0, 1, 2), (1, 1, 2)]);
        assert_eq!(bodies.left_out(), 0);
        let mut other = KeptBodies::new(2, 1);
        other.keep(1, 200, b"c", 1);
        bodies.merge(other);
        assert_eq!(kept(&bodies), [(0, 2, 2), (0, 1, 2), (1, 1, 2), (1, 1, 1)]);
    }

    #[test]
    fn of_more_bodies_than_fit_late_ones_are_kept_too() {
        let mut bodies = KeptBodies::new(1, MOST_BODIES / 100);
        let many = 10_000_u32;
        for number in 0..many {
            bodies.keep(0, 200, &number.to_be_bytes(), 4);
        }
        let numbers: Vec<u32> =
            bodies.bodies().map(|(_, body)| u32::from_be_bytes(body.bytes[..].try_into().unwrap())).collect();
        assert!((100..=101).contains(&numbers.len()));
        assert_eq!(numbers.len() as u64 + bodies.left_out(), u64::from(many));
        let late = numbers.iter().filter(|&&number| number >= many / 2).count();
        assert!((15..=85).contains(&late), "{late}");
        assert!(bodies.by_request[0].places.len() == numbers.len());
    }

    #[test]
    fn bytes_are_bounded() {
        let mut bodies = KeptBodies::new(1, 32);
        for number in 0..40_u8 {
            bodies.keep(0, 200, &vec![number; 100_000], 100_000);
        }
        assert_eq!((bodies.bodies().count(), bodies.left_out()), (20, 20));
        bodies.keep(0, 200, &[0; 10], LONGEST_BODY_BYTES as u64 + 1);
        assert_eq!(bodies.left_out(), 21);
        assert!(bodies.by_request[0].bytes <= bodies.most_bytes);
    }
}
