//! The target without faults: as few instructions per request as we know how.

use std::os::fd::OwnedFd;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use super::answer::RenderedAnswers;
use super::request::{Asked, RequestReader, Reuse};
use super::serve::{PeerState, Service};

pub(super) const READ_BUFFER_BYTES: usize = 64 * 1024;

/// More answers are not owed to a peer that does not read them.
pub(super) const MOST_OWED: u64 = 4096;

/// What a connection is in the middle of.
pub(super) struct Peer {
    socket: OwnedFd,
    /// Input that is not used yet: part of a head, or requests that wait for earlier answers.
    carry: Vec<u8>,
    /// What is left of a request's body.
    body_left: u64,
    /// Answers of the kind `asked` that are not sent whole.
    owed: u64,
    asked: Asked,
    /// Bytes of the first owed answer that are sent.
    offset: usize,
    /// The peer does not take more at the moment.
    is_blocked: bool,
}

impl Peer {
    fn new(socket: OwnedFd) -> Peer {
        Peer {
            socket,
            carry: Vec::new(),
            body_left: 0,
            owed: 0,
            asked: Asked { reuse: Reuse::Default, is_head: false },
            offset: 0,
            is_blocked: false,
        }
    }
}

/// What all connections share.
pub(super) struct Worker {
    answers: RenderedAnswers,
    reader: RequestReader,
    buffer: Vec<u8>,
    served: u64,
}

impl Worker {
    pub(super) fn new(answers: RenderedAnswers) -> Worker {
        Worker { answers, reader: RequestReader::default(), buffer: vec![0; READ_BUFFER_BYTES], served: 0 }
    }

    /// Answers that were handed to the kernel whole.
    pub(super) fn served(&self) -> u64 {
        self.served
    }
}

impl Service for Worker {
    type Peer = Peer;

    fn open(&mut self, socket: OwnedFd) -> Option<Peer> {
        Some(Peer::new(socket))
    }

    #[inline]
    fn handle(&mut self, _: usize, peer: &mut Peer, flags: EventFlags) -> PeerState {
        if peer.is_blocked {
            if !flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR) {
                return PeerState::Open;
            }
            peer.is_blocked = false;
            let carried = std::mem::take(&mut peer.carry);
            if self.flush(peer) == PeerState::Ended || self.answer(peer, &carried) == PeerState::Ended {
                return PeerState::Ended;
            }
        }
        // While an answer waits, nothing is read: the peer's own window holds it back.
        while !peer.is_blocked {
            let mut buffer = std::mem::take(&mut self.buffer);
            let received = recv(&peer.socket, buffer.as_mut_slice(), RecvFlags::empty());
            let state = match received {
                Ok((0, _)) => PeerState::Ended,
                Ok((bytes, _)) => self.take_in(peer, &buffer[..bytes]),
                Err(Errno::AGAIN | Errno::INTR) => PeerState::Open,
                Err(_) => PeerState::Ended,
            };
            let capacity = buffer.len();
            self.buffer = buffer;
            if state == PeerState::Ended {
                return PeerState::Ended;
            }
            // A read that does not fill the buffer has drained the socket, unless its end is there, too.
            let is_drained = match received {
                Ok((bytes, _)) => bytes < capacity && !flags.contains(EventFlags::RDHUP),
                Err(error) => error == Errno::AGAIN,
            };
            if is_drained {
                break;
            }
        }
        PeerState::Open
    }
}

impl Worker {
    #[inline]
    fn take_in(&mut self, peer: &mut Peer, input: &[u8]) -> PeerState {
        if peer.carry.is_empty() {
            return self.answer(peer, input);
        }
        let mut carried = std::mem::take(&mut peer.carry);
        carried.extend_from_slice(input);
        self.answer(peer, &carried)
    }

    /// Answers the requests in `input`, and carries what cannot be answered yet.
    #[inline]
    fn answer(&mut self, peer: &mut Peer, mut input: &[u8]) -> PeerState {
        while !input.is_empty() {
            let skipped = peer.body_left.min(input.len() as u64);
            peer.body_left -= skipped;
            input = &input[skipped as usize..];
            let is_last = peer.owed > 0 && peer.asked.reuse == Reuse::Close;
            if peer.body_left > 0 || input.is_empty() || is_last {
                break;
            }
            let request = match self.reader.read(input) {
                Ok(Some(request)) => request,
                Ok(None) => {
                    peer.carry.extend_from_slice(input);
                    break;
                }
                Err(refusal) => {
                    if self.flush(peer) == PeerState::Open && !peer.is_blocked {
                        let _ = send(&peer.socket, refusal.0, SendFlags::NOSIGNAL);
                    }
                    return PeerState::Ended;
                }
            };
            if peer.owed > 0 && (request.asked != peer.asked || peer.owed >= MOST_OWED) {
                if self.flush(peer) == PeerState::Ended {
                    return PeerState::Ended;
                }
                if peer.is_blocked {
                    peer.carry.extend_from_slice(input);
                    break;
                }
            }
            input = &input[request.head_bytes..];
            peer.body_left = request.body_bytes;
            peer.asked = request.asked;
            peer.owed += 1;
        }
        if peer.body_left > 0 {
            // An answer before the request has ended would be a promise that the rest is not needed.
            return PeerState::Open;
        }
        self.flush(peer)
    }

    /// Sends what is owed.
    #[inline]
    fn flush(&mut self, peer: &mut Peer) -> PeerState {
        let copies = self.answers.get(peer.asked);
        while peer.owed > 0 {
            let bytes = copies.slice(peer.offset, peer.owed);
            match send(&peer.socket, bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => {
                    let sent = peer.offset + sent;
                    let whole = (sent / copies.one_bytes) as u64;
                    peer.offset = sent % copies.one_bytes;
                    peer.owed -= whole;
                    self.served += whole;
                }
                Err(Errno::AGAIN) => {
                    peer.is_blocked = true;
                    return PeerState::Open;
                }
                Err(Errno::INTR) => {}
                Err(_) => return PeerState::Ended,
            }
        }
        if peer.asked.reuse == Reuse::Close { PeerState::Ended } else { PeerState::Open }
    }
}
