//! A closed load that stands still at the word of whoever started it, and then goes on in two stages: each connection that
//! had its answer asks once, and then all go on. While what a server has to wait for is stopped, what it read ahead goes
//! with the first stage, and what is answered in the second one came from memory.

use std::sync::atomic::{AtomicU32, Ordering};

use serde::Serialize;

/// Connections are told apart by their answers up to so many.
pub const MOST_ANSWERS: usize = 8;

const STAGE_BITS: u32 = 16;
const HAS_ASKED: u32 = 1 << 8;
const ANSWERS: u32 = HAS_ASKED - 1;

/// What the connections of one thread may do.
#[derive(Debug)]
pub struct Halt {
    /// The number of the halt, and behind it the stage. Written by the coordinator alone.
    stage: AtomicU32,
    /// By connection: the number of the last halt in which it had its answer and stood still, and behind it whether it has
    /// asked since, and how many right answers it had. Written by its thread alone.
    connections: Box<[AtomicU32]>,
}

/// What is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Stage {
    Off,
    Still,
    OneEach,
    All,
}

/// Connections that stood still when the first stage began: how many have had none, one, two, … right answers since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Released([u64; MOST_ANSWERS + 1]);

impl Halt {
    /// For so many connections, which all go on.
    pub fn new(connections: usize) -> Halt {
        Halt { stage: AtomicU32::new(0), connections: (0..connections).map(|_| AtomicU32::new(0)).collect() }
    }

    fn now(&self) -> (u32, Stage) {
        let word = self.stage.load(Ordering::Acquire);
        let stage = match word & ((1 << STAGE_BITS) - 1) {
            0 => Stage::Off,
            1 => Stage::Still,
            2 => Stage::OneEach,
            _ => Stage::All,
        };
        (word >> STAGE_BITS, stage)
    }

    fn turn_to(&self, number: u32, stage: Stage) {
        self.stage.store(number << STAGE_BITS | stage as u32, Ordering::Release);
    }

    /// Begins a halt, or ends it.
    pub fn begin_or_end(&self) {
        match self.now() {
            (number, Stage::Off) => self.turn_to((number + 1) & 0xffff, Stage::Still),
            (number, _) => self.turn_to(number, Stage::Off),
        }
    }

    /// Begins the next stage; without a halt, nothing.
    pub fn next_stage(&self) {
        match self.now() {
            (number, Stage::Still) => self.turn_to(number, Stage::OneEach),
            (number, Stage::OneEach) => self.turn_to(number, Stage::All),
            _ => {}
        }
    }

    /// True from a halt's begin to its end.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.now().1 != Stage::Off
    }

    /// Whether this connection, which has no request, may begin one. `has_answer`: its last one was answered. Only its
    /// thread may call this.
    #[cold]
    pub fn lets(&self, connection: usize, has_answer: bool) -> bool {
        let (number, stage) = self.now();
        let cell = &self.connections[connection];
        let own = cell.load(Ordering::Relaxed);
        let stood_still = own >> STAGE_BITS == number;
        match stage {
            Stage::Off => true,
            Stage::Still => {
                if !stood_still && has_answer {
                    cell.store(number << STAGE_BITS, Ordering::Relaxed);
                }
                false
            }
            Stage::OneEach if stood_still && own & HAS_ASKED == 0 => {
                cell.store(own | HAS_ASKED, Ordering::Relaxed);
                true
            }
            Stage::OneEach => false,
            Stage::All => stood_still,
        }
    }

    /// A right answer came on this connection. Only its thread may call this.
    #[inline]
    pub fn answered(&self, connection: usize) {
        let (number, stage) = self.now();
        if stage == Stage::Off {
            return;
        }
        let cell = &self.connections[connection];
        let own = cell.load(Ordering::Relaxed);
        if own >> STAGE_BITS == number && own & HAS_ASKED != 0 && own & ANSWERS < MOST_ANSWERS as u32 {
            cell.store(own + 1, Ordering::Relaxed);
        }
    }

    /// Adds this thread's; `None` without a halt.
    pub fn add_to(&self, released: Option<Released>) -> Option<Released> {
        let (number, stage) = self.now();
        if stage == Stage::Off {
            return None;
        }
        let mut released = released.unwrap_or_default();
        for cell in &self.connections {
            let own = cell.load(Ordering::Relaxed);
            if own >> STAGE_BITS == number {
                released.0[(own & ANSWERS) as usize] += 1;
            }
        }
        Some(released)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn released(halt: &Halt) -> Option<Vec<u64>> {
        halt.add_to(None).map(|released| released.0[..4].to_vec())
    }

    #[test]
    fn without_a_halt_all_may_begin() {
        let halt = Halt::new(2);
        halt.next_stage();
        assert!(halt.lets(0, true) && halt.lets(1, true));
        halt.answered(0);
        assert_eq!(released(&halt), None);
    }

    #[test]
    fn each_that_stood_still_asks_once_and_then_as_often_as_it_is_answered() {
        let halt = Halt::new(4);
        halt.begin_or_end();
        for connection in 0..3 {
            assert!(!halt.lets(connection, true));
        }
        assert!(!halt.lets(3, false), "it has no answer");
        assert_eq!(released(&halt), Some(vec![3, 0, 0, 0]));
        halt.next_stage();
        assert!(halt.lets(0, true) && halt.lets(1, true) && halt.lets(2, true));
        assert!(!halt.lets(3, true), "it waited for the source when the others stood still");
        halt.answered(0);
        halt.answered(1);
        halt.answered(3);
        assert!(!halt.lets(0, true), "once");
        assert_eq!(released(&halt), Some(vec![1, 2, 0, 0]));
        halt.next_stage();
        assert!(halt.lets(0, true) && halt.lets(1, true) && !halt.lets(3, true));
        halt.answered(0);
        halt.answered(0);
        assert_eq!(released(&halt), Some(vec![1, 1, 0, 1]));
        for _ in 0..100 {
            halt.answered(0);
        }
        assert_eq!(halt.add_to(None), Some(Released([1, 1, 0, 0, 0, 0, 0, 0, 1])), "that many at most");
        halt.begin_or_end();
        assert!(halt.lets(3, true) && released(&halt).is_none());
        halt.begin_or_end();
        assert_eq!(released(&halt), Some(vec![0, 0, 0, 0]), "a halt of its own");
    }

    #[test]
    fn threads_are_one_whole() {
        let halts = [Halt::new(1), Halt::new(2)];
        for halt in &halts {
            halt.begin_or_end();
            assert!(!halt.lets(0, true));
        }
        let both = halts.iter().fold(None, |released, halt| halt.add_to(released));
        assert_eq!(both.map(|released| released.0[0]), Some(2));
    }
}
