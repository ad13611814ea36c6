//! A conversation over TLS: whoever drives it sees ciphertext, whoever is inside plaintext.

use std::sync::Arc;

use rustls::HandshakeKind;

use super::channel::Channel;
use super::client::{TlsClient, WireUse};
use super::failure;
use crate::driver::{Conversation, Failure, Next};
use crate::record::ErrorKind;
use crate::schedule::Phase;

/// Puts TLS around a conversation. A connection counts as connected when its handshake is done.
pub struct TlsConversation<C> {
    inner: C,
    client: Arc<TlsClient>,
    /// By number; `None` without a socket, or before its connect has succeeded.
    channels: Vec<Option<Box<Channel>>>,
    /// Plaintext of one read.
    plain: Vec<u8>,
    /// In the window.
    wire: WireUse,
}

impl<C: Conversation> TlsConversation<C> {
    /// Puts TLS around `inner`.
    pub fn new(inner: C, client: Arc<TlsClient>) -> TlsConversation<C> {
        let mut channels = Vec::new();
        channels.resize_with(inner.connections(), || None);
        TlsConversation { inner, client, channels, plain: Vec::new(), wire: WireUse::default() }
    }

    /// Follows the inner step: what TLS itself has to say is sent. A socket that goes takes its channel with it, in
    /// [`Conversation::farewell`].
    fn settle(&mut self, number: usize, next: Next) -> Next {
        match next {
            Next::Wait if self.channels[number].as_ref().is_some_and(|channel| !channel.out().is_empty()) => {
                Next::Send
            }
            _ => next,
        }
    }

    /// Ends a connection whose TLS went wrong. `was_connected`: the inner conversation had it.
    fn fail(&mut self, number: usize, was_connected: bool, failure: Failure, now_ns: u64) -> Next {
        if let Some(channel) = &mut self.channels[number] {
            channel.fail();
        }
        let next = if was_connected {
            self.inner.broken_because(number, failure, now_ns)
        } else {
            self.inner.connect_failed(number, failure, now_ns)
        };
        match next {
            Next::Connect => Next::Connect,
            // Seen from inside there is no socket any more; here there is one.
            Next::Wait | Next::Send | Next::Close => Next::Close,
        }
    }

    fn is_in_window(&self) -> bool {
        self.inner.phase() == Phase::Window
    }
}

impl<C: Conversation> Conversation for TlsConversation<C> {
    type Outcome = C::Outcome;

    fn connections(&self) -> usize {
        self.inner.connections()
    }

    fn most_body_bytes(&self) -> Option<u64> {
        self.inner.most_body_bytes()
    }

    fn phase(&self) -> Phase {
        self.inner.phase()
    }

    fn wake_ns(&self) -> u64 {
        self.inner.wake_ns()
    }

    fn is_paced(&self) -> bool {
        self.inner.is_paced()
    }

    fn is_awaiting(&mut self) -> bool {
        self.inner.is_awaiting()
    }

    fn advance(&mut self, now_ns: u64) {
        self.inner.advance(now_ns);
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        let next = self.inner.start(number, now_ns);
        self.settle(number, next)
    }

    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        let (number, next) = self.inner.due(now_ns)?;
        Some((number, self.settle(number, next)))
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        match self.client.channel() {
            Ok(channel) => {
                self.channels[number] = Some(Box::new(channel));
                self.inner.awaits(number, Some(failure::handshake_timeout));
                Next::Send
            }
            Err(failure) => self.fail(number, false, failure, now_ns),
        }
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        let next = self.inner.connect_failed(number, failure, now_ns);
        self.settle(number, next)
    }

    fn to_send(&mut self, number: usize) -> &[u8] {
        let Some(channel) = &mut self.channels[number] else { return &[] };
        if !channel.is_handshaking() {
            channel.encrypt(self.inner.to_send(number));
        }
        channel.out()
    }

    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        if self.is_in_window() {
            self.wire.sent_bytes += bytes as u64;
        }
        let Some(channel) = &mut self.channels[number] else { return };
        let plain_bytes = channel.handed_over(bytes);
        if plain_bytes > 0 {
            self.inner.handed_over(number, plain_bytes, at_ns);
        }
    }

    fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next {
        self.inner.advance(now_ns);
        if self.is_in_window() {
            self.wire.received_bytes += bytes.len() as u64;
        }
        let Some(channel) = &mut self.channels[number] else { return Next::Close };
        let was_handshaking = channel.is_handshaking();
        self.plain.clear();
        if let Err(failure) = channel.take_in(bytes, &mut self.plain, &self.client) {
            return self.fail(number, !was_handshaking, failure, now_ns);
        }
        let (is_handshaking, has_ended) = (channel.is_handshaking(), channel.has_ended());
        if is_handshaking && has_ended {
            let failure = failure::of_end(&channel.scene(&self.client), false);
            return self.fail(number, false, failure, now_ns);
        }
        let mut next = Next::Wait;
        if was_handshaking && !is_handshaking {
            channel.forget_beginning();
            if !self.client.is_agreed(channel.connection()) {
                return self.fail(number, false, failure::no_http2(), now_ns);
            }
            self.client.note(channel.connection());
            let is_resumed = channel.connection().handshake_kind() == Some(HandshakeKind::Resumed);
            if self.inner.phase() == Phase::Window {
                self.wire.handshakes.add(is_resumed);
            }
            self.inner.awaits(number, None);
            next = self.inner.connected(number, now_ns);
        }
        if !self.plain.is_empty() && matches!(next, Next::Wait | Next::Send) {
            next = self.inner.received(number, &self.plain, peer_closes || has_ended, now_ns);
        }
        // After a close_notify nothing more comes, whether the peer closes its socket or not.
        if has_ended && matches!(next, Next::Wait | Next::Send) {
            next = self.inner.peer_closed_early(number, failure::early_close_notify, now_ns);
        }
        self.settle(number, next)
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        let Some(channel) = &self.channels[number] else { return Next::Close };
        let scene = channel.scene(&self.client);
        if scene.is_handshaking {
            let failure = failure::of_end(&scene, false);
            return self.fail(number, false, failure, now_ns);
        }
        // Without close_notify anybody may have cut the connection: what has come may not be all.
        let failure = failure::no_close_notify(&scene);
        // Nobody is there to hear a farewell.
        self.channels[number] = None;
        let next = self.inner.broken_because(number, failure, now_ns);
        self.settle(number, next)
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        let scene = self.channels[number].as_ref().map(|channel| channel.scene(&self.client));
        if let Some(scene) = scene.filter(|scene| scene.is_handshaking) {
            let failure = failure::of_end(&scene, true);
            return self.fail(number, false, failure, now_ns);
        }
        self.channels[number] = None;
        let next = self.inner.broken(number, kind, now_ns);
        self.settle(number, next)
    }

    fn farewell(&mut self, number: usize) -> Vec<u8> {
        let farewell = self.channels[number].take().map_or(Vec::new(), |channel| channel.farewell());
        if self.is_in_window() {
            self.wire.sent_bytes += farewell.len() as u64;
        }
        farewell
    }

    fn conclude(self, now_ns: u64) -> C::Outcome {
        self.client.add(self.wire);
        self.inner.conclude(now_ns)
    }
}
