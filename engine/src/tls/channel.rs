//! One connection: ciphertext in, plaintext out, and the other way round.

use std::io::{ErrorKind, Read, Write};

use rustls::{ClientConnection, Error, ProtocolVersion};

use super::client::TlsClient;
use super::failure::{self, BEGINNING_BYTES, Scene};
use crate::driver::Failure;

/// Plaintext is encrypted while less than this waits to be handed over. Bytes.
const OUT_BYTES_LIMIT: usize = 64 * 1024;

/// Ciphertext in a row that carries nothing for the session: four times the longest message of a handshake.
const BARE_BYTES_LIMIT: usize = 256 * 1024;

/// The content type of a record that is an alert, where it is not encrypted as TLS 1.3 does (RFC 5246, 6.2.1).
const ALERT: u8 = 21;

/// The client's side of a TLS connection.
#[derive(Debug)]
pub(crate) struct Channel {
    connection: ClientConnection,
    /// Ciphertext to hand over.
    out: Vec<u8>,
    /// Bytes of `out` that are handed over.
    out_done: usize,
    /// Plaintext in `out` of which the session has not been told that it is handed over.
    untold_bytes: usize,
    /// The peer has said that nothing more comes.
    has_ended: bool,
    /// Ciphertext since the begin, or since the last plaintext.
    bare_bytes: usize,
    /// While the handshake is not done: what came first.
    beginning: Vec<u8>,
    has_refused_renegotiation: bool,
    /// It is of no more use; what is left in `out` says why.
    has_failed: bool,
}

impl Channel {
    /// A channel that has its first flight to send.
    pub(crate) fn new(mut connection: ClientConnection) -> Channel {
        // `encrypt` bounds what is buffered.
        connection.set_buffer_limit(None);
        let mut channel = Channel {
            connection,
            out: Vec::new(),
            out_done: 0,
            untold_bytes: 0,
            has_ended: false,
            bare_bytes: 0,
            beginning: Vec::new(),
            has_refused_renegotiation: false,
            has_failed: false,
        };
        channel.collect_out();
        channel
    }

    pub(crate) fn connection(&self) -> &ClientConnection {
        &self.connection
    }

    pub(crate) fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// True once the peer's close_notify has come.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Ciphertext to hand over, always the same until [`Channel::handed_over`].
    pub(crate) fn out(&self) -> &[u8] {
        &self.out[self.out_done..]
    }

    /// Takes ciphertext in; plaintext that it completes is added to `plain`. `client`: whose connection it is.
    ///
    /// # Errors
    /// If the connection is of no more use.
    pub(crate) fn take_in(
        &mut self,
        mut ciphertext: &[u8],
        plain: &mut Vec<u8>,
        client: &TlsClient,
    ) -> Result<(), Failure> {
        if self.is_handshaking() {
            let room = (BEGINNING_BYTES - self.beginning.len()).min(ciphertext.len());
            self.beginning.extend_from_slice(&ciphertext[..room]);
        }
        while !ciphertext.is_empty() && !self.has_ended {
            // It takes as much as its buffer has room for; what it holds is processed before the next read.
            let Ok(taken @ 1..) = self.connection.read_tls(&mut ciphertext) else {
                return Err(failure::flood());
            };
            let out_bytes = self.out.len();
            let state = self.connection.process_new_packets();
            // Also after an error: the alert that says what it was, and answers that came before.
            self.collect_out();
            if self.out.len() > out_bytes && matches!(state, Ok(_) | Err(Error::AlertReceived(_))) {
                self.note_refusal(out_bytes);
            }
            let state = state.map_err(|error| failure::of_error(&error, &self.scene(client)))?;
            let plain_bytes = state.plaintext_bytes_to_read();
            read_all(&mut self.connection.reader(), plain_bytes, plain);
            self.has_ended = state.peer_has_closed();
            self.bare_bytes = if plain_bytes > 0 { 0 } else { self.bare_bytes + taken };
            if self.bare_bytes > BARE_BYTES_LIMIT {
                return Err(failure::flood());
            }
        }
        Ok(())
    }

    /// Notes an alert in what rustls has to say, from `out_bytes` of `out` on, although the server did nothing that is
    /// wrong: in TLS 1.2, it has asked for another handshake.
    #[cold]
    fn note_refusal(&mut self, out_bytes: usize) {
        let is_tls12 = self.connection.protocol_version() == Some(ProtocolVersion::TLSv1_2);
        self.has_refused_renegotiation |= is_tls12 && !self.is_handshaking() && self.out[out_bytes] == ALERT;
    }

    /// What is known of the connection.
    pub(super) fn scene(&self, client: &TlsClient) -> Scene<'_> {
        Scene {
            is_handshaking: self.is_handshaking(),
            beginning: &self.beginning,
            has_refused_renegotiation: self.has_refused_renegotiation,
            ..client.scene()
        }
    }

    /// Why a connection that ends now comes to nothing; `None`: its handshake is done.
    pub(crate) fn of_end(&self, client: &TlsClient, is_reset: bool) -> Option<Failure> {
        self.is_handshaking().then(|| failure::of_end(&self.scene(client), is_reset))
    }

    /// Why a connection that takes too long comes to nothing; `None`: its handshake is done.
    pub(crate) fn too_late(&self) -> Option<Failure> {
        self.is_handshaking().then(failure::handshake_timeout)
    }

    /// The handshake is done: the server speaks TLS.
    pub(crate) fn forget_beginning(&mut self) {
        self.beginning = Vec::new();
    }

    /// It is of no more use. What rustls says to that is its farewell.
    pub(super) fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Encrypts of `plaintext`, the session's bytes to send, what is not yet.
    pub(crate) fn encrypt(&mut self, plaintext: &[u8]) {
        let room = OUT_BYTES_LIMIT.saturating_sub(self.out().len());
        let end = plaintext.len().min(self.untold_bytes + room);
        if end > self.untold_bytes {
            self.connection
                .writer()
                .write_all(&plaintext[self.untold_bytes..end])
                .expect("the buffer has no limit");
            self.untold_bytes = end;
            self.collect_out();
        }
    }

    /// So many bytes of [`Channel::out`] are handed over. Gives the plaintext bytes of which the session is now told:
    /// all that are encrypted, from the first byte of their ciphertext on.
    pub(crate) fn handed_over(&mut self, bytes: usize) -> usize {
        self.out_done += bytes;
        if self.out_done == self.out.len() {
            self.out.clear();
            self.out_done = 0;
        }
        std::mem::take(&mut self.untold_bytes)
    }

    /// What ends what was said: after a failure the alert that names it, else a close_notify; empty where it cannot come
    /// next.
    pub(super) fn farewell(mut self) -> Vec<u8> {
        if self.has_failed {
            return self.out.split_off(self.out_done);
        }
        if self.is_handshaking() || !self.out().is_empty() {
            return Vec::new();
        }
        self.connection.send_close_notify();
        self.collect_out();
        self.out
    }

    fn collect_out(&mut self) {
        while self.connection.wants_write() {
            self.connection.write_tls(&mut self.out).expect("a vector takes all");
        }
    }
}

/// Reads all there is. `bytes`: how much that is.
fn read_all(reader: &mut impl Read, bytes: usize, plain: &mut Vec<u8>) {
    plain.reserve(bytes);
    match reader.read_to_end(plain) {
        Ok(_) => {}
        Err(error) => debug_assert_eq!(error.kind(), ErrorKind::WouldBlock),
    }
}
