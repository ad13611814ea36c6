//! One deadline per connection.
//!
//! A deadline that moves on costs one store. The earliest one is only known as a lower bound, and made exact by a
//! scan when that bound is reached: with a timeout far above the service time, about one scan per timeout.

const NONE: u64 = u64::MAX;

/// Scans are at least this far apart, so that many deadlines close to each other do not cost a scan each.
const GRAIN_NS: u64 = 1_000_000;

#[derive(Debug)]
pub(super) struct Deadlines {
    by_connection: Vec<u64>,
    earliest_ns: u64,
    /// Where an unfinished scan goes on.
    scanned: usize,
}

impl Deadlines {
    pub(super) fn new(connections: usize) -> Deadlines {
        Deadlines { by_connection: vec![NONE; connections], earliest_ns: NONE, scanned: 0 }
    }

    #[inline]
    pub(super) fn set(&mut self, connection: usize, at_ns: u64) {
        self.by_connection[connection] = at_ns;
        self.earliest_ns = self.earliest_ns.min(at_ns);
    }

    /// Sets it if that is earlier. True if it was.
    #[inline]
    pub(super) fn shorten(&mut self, connection: usize, at_ns: u64) -> bool {
        let is_earlier = at_ns < self.by_connection[connection];
        if is_earlier {
            self.set(connection, at_ns);
        }
        is_earlier
    }

    pub(super) fn clear(&mut self, connection: usize) {
        self.by_connection[connection] = NONE;
    }

    /// No deadline is earlier.
    #[inline]
    pub(super) fn earliest_ns(&self) -> u64 {
        self.earliest_ns
    }

    /// Takes one deadline that has passed; `None` ends the scan.
    pub(super) fn next_expired(&mut self, now_ns: u64) -> Option<usize> {
        let rest = &self.by_connection[self.scanned..];
        if let Some(found) = rest.iter().position(|&at_ns| at_ns <= now_ns) {
            let connection = self.scanned + found;
            self.scanned = connection + 1;
            self.clear(connection);
            return Some(connection);
        }
        self.scanned = 0;
        let earliest_ns = self.by_connection.iter().copied().min().unwrap_or(NONE);
        self.earliest_ns = earliest_ns.max(now_ns + GRAIN_NS);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_have_passed_come_once() {
        let mut deadlines = Deadlines::new(4);
        deadlines.set(0, 10 * GRAIN_NS);
        deadlines.set(1, 30 * GRAIN_NS);
        deadlines.set(3, 20 * GRAIN_NS);
        assert_eq!(deadlines.earliest_ns(), 10 * GRAIN_NS);
        let now_ns = 20 * GRAIN_NS;
        let expired: Vec<usize> = std::iter::from_fn(|| deadlines.next_expired(now_ns)).collect();
        assert_eq!(expired, [0, 3]);
        assert_eq!(deadlines.earliest_ns(), 30 * GRAIN_NS);
    }

    #[test]
    fn a_deadline_that_moved_on_is_found_later() {
        let mut deadlines = Deadlines::new(1);
        deadlines.set(0, 10 * GRAIN_NS);
        deadlines.set(0, 15 * GRAIN_NS);
        assert_eq!(deadlines.next_expired(10 * GRAIN_NS), None);
        assert_eq!(deadlines.earliest_ns(), 15 * GRAIN_NS);
        deadlines.clear(0);
        assert_eq!(deadlines.next_expired(15 * GRAIN_NS), None);
        assert_eq!(deadlines.earliest_ns(), NONE);
    }
}
