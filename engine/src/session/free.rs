//! Connections of an open load without a request.
//!
//! Open ones come first, the one that has rested longest before all others. So requests spread evenly over the
//! connections, as they would over independent users: a server that deals connections out to processes has all of them
//! at work, and no connection rests longer than it must. (The last used one first would keep a few connections hot and let
//! the server's idle timeout close the rest, which shows a server fewer peers than the plan says.)
//!
//! A linked list in one allocation: every operation takes constant time, also when a connection closes while it rests.

use std::iter;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    behind: u32,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    first: u32,
    last: u32,
}

/// Connections that wait for a request. Each is in at most one place.
#[derive(Debug)]
pub(super) struct FreeConnections {
    links: Vec<Link>,
    open: Queue,
    closed: Queue,
}

impl FreeConnections {
    /// None is free.
    pub(super) fn new(connections: usize) -> FreeConnections {
        let empty = Queue { first: NONE, last: NONE };
        let links = vec![Link { before: NONE, behind: NONE }; connections];
        FreeConnections { links, open: empty, closed: empty }
    }

    /// How many are free: it goes along all of them.
    #[cold]
    pub(super) fn count(&self) -> usize {
        let count = |queue: &Queue| {
            let behind =
                |&number: &u32| Some(self.links[number as usize].behind).filter(|&next| next != NONE);
            iter::successors(Some(queue.first).filter(|&first| first != NONE), behind).count()
        };
        count(&self.open) + count(&self.closed)
    }

    /// The connection has no request. `is_open`: it has a socket.
    #[inline]
    pub(super) fn put(&mut self, number: usize, is_open: bool) {
        let queue = if is_open { &mut self.open } else { &mut self.closed };
        let number = number as u32;
        self.links[number as usize] = Link { before: queue.last, behind: NONE };
        match queue.last {
            NONE => queue.first = number,
            last => self.links[last as usize].behind = number,
        }
        queue.last = number;
    }

    /// The connection for the next request.
    #[inline]
    pub(super) fn take(&mut self) -> Option<usize> {
        let (number, is_open) = match (self.open.first, self.closed.first) {
            (NONE, NONE) => return None,
            (NONE, closed) => (closed, false),
            (open, _) => (open, true),
        };
        self.remove(number as usize, is_open);
        Some(number as usize)
    }

    /// The connection is free no more. `is_open` as it was put.
    #[inline]
    pub(super) fn remove(&mut self, number: usize, is_open: bool) {
        let Link { before, behind } = self.links[number];
        let queue = if is_open { &mut self.open } else { &mut self.closed };
        match before {
            NONE => queue.first = behind,
            before => self.links[before as usize].behind = behind,
        }
        match behind {
            NONE => queue.last = before,
            behind => self.links[behind as usize].before = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ones_first_and_the_longest_rest_before_all() {
        let mut free = FreeConnections::new(5);
        assert_eq!(free.take(), None);
        for (number, is_open) in [(3, false), (1, true), (4, true), (0, true), (2, false)] {
            free.put(number, is_open);
        }
        assert_eq!(free.count(), 5);
        assert_eq!(free.take(), Some(1));
        assert_eq!(free.count(), 4);
        free.put(1, true);
        free.remove(4, true);
        free.put(4, false);
        let order: Vec<usize> = iter::from_fn(|| free.take()).collect();
        assert_eq!(order, [0, 1, 3, 2, 4]);
        assert_eq!(free.count(), 0);
    }
}
