//! The bytes of each connection that are on their way to the kernel.
//!
//! Nearly every request is short and fits the socket's buffer: it is sent at once, completes silently, and costs nothing
//! here but its copy. A rest that the socket did not take, and whatever is long, is sent patiently: one piece per
//! connection, which completes when the peer has made room for all of it.

use std::collections::HashMap;

use rustix::io::Errno;

use super::ring::Ring;
use super::tag::{Operation, Tag};
use crate::driver::Conversation;
use crate::driver::failure::transfer_error;
use crate::record::ErrorKind;

/// Longer ones are sent patiently.
const AT_ONCE_BYTES: usize = 16 * 1024;

/// What is copied of a long one at a time.
const PIECE_BYTES: usize = 256 * 1024;

enum Patient {
    /// To be sent.
    Rest(Box<[u8]>),
    /// So many bytes are being sent.
    UnderWay(usize),
}

/// Sends of all connections.
pub(super) struct Outbox {
    /// By connection: where in the ring's memory the last short one is, and how long.
    at_once: Vec<(u32, u32)>,
    patient: HashMap<u32, Patient>,
}

impl Outbox {
    pub(super) fn new(connections: usize) -> Outbox {
        Outbox { at_once: vec![(0, 0); connections], patient: HashMap::new() }
    }

    /// Makes a request of what a connection has to send. False if it has more to send in the next call: because there
    /// is no room in this one, or because whether this one goes well decides what follows it.
    #[inline]
    pub(super) fn send(
        &mut self,
        conversation: &mut impl Conversation,
        ring: &mut Ring<'_>,
        number: u32,
        generation: u32,
        now: u64,
    ) -> bool {
        let tag = |operation| Tag { operation, generation, number };
        if !self.patient.is_empty()
            && let Some(patient) = self.patient.get_mut(&number)
        {
            // Until one under way has completed, nothing follows it.
            if let Patient::Rest(rest) = patient {
                let rest = std::mem::take(rest);
                *patient = Patient::UnderWay(rest.len());
                ring.send_patiently(tag(Operation::SendPatiently), rest);
            }
            return true;
        }
        let bytes = conversation.to_send(number as usize);
        let length = bytes.len().min(PIECE_BYTES);
        if length == 0 {
            return true;
        }
        if length <= AT_ONCE_BYTES {
            let Some(start) = ring.send_at_once(tag(Operation::SendAtOnce), bytes) else { return false };
            self.at_once[number as usize] = (start as u32, length as u32);
        } else {
            ring.send_patiently(tag(Operation::SendPatiently), bytes[..length].into());
            self.patient.insert(number, Patient::UnderWay(length));
        }
        conversation.handed_over(number as usize, length, now);
        // After a patient one, its completion asks again.
        length > AT_ONCE_BYTES || conversation.to_send(number as usize).is_empty()
    }

    /// A send that fell short, or a patient one, has completed. If all is well, a rest or more may be left to send.
    pub(super) fn completed(
        &mut self,
        ring: &Ring<'_>,
        tag: Tag,
        result: Result<u32, Errno>,
    ) -> Result<(), ErrorKind> {
        if tag.operation == Operation::SendAtOnce {
            let taken = match result {
                Ok(taken) => taken as usize,
                Err(Errno::AGAIN) => 0,
                Err(error) => return Err(transfer_error(error)),
            };
            let (start, length) = self.at_once[tag.number as usize];
            let sent = ring.sent_at_once(start as usize, length as usize);
            self.patient.insert(tag.number, Patient::Rest(sent[taken..].into()));
            return Ok(());
        }
        match (self.patient.remove(&tag.number), result) {
            (_, Err(error)) => Err(transfer_error(error)),
            (Some(Patient::UnderWay(length)), Ok(taken)) if taken as usize == length => Ok(()),
            // The kernel gave up in the middle: the connection broke.
            _ => Err(ErrorKind::Closed),
        }
    }

    /// True if a part of what was handed over has yet to reach the socket.
    pub(super) fn is_behind(&self, number: u32) -> bool {
        self.patient.contains_key(&number)
    }

    /// The connection's socket is gone. True if a patient send is under way.
    pub(super) fn forget(&mut self, number: u32) -> bool {
        !self.patient.is_empty() && matches!(self.patient.remove(&number), Some(Patient::UnderWay(_)))
    }
}
