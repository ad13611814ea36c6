//! One connection: ciphertext in, plaintext out, and the other way round.

use std::io::{ErrorKind, Read, Write};

use rustls::ClientConnection;

/// Plaintext is encrypted while less than this waits to be handed over. Bytes.
const OUT_BYTES_LIMIT: usize = 64 * 1024;

/// The client's side of a TLS connection.
pub(super) struct Channel {
    connection: ClientConnection,
    /// Ciphertext to hand over.
    out: Vec<u8>,
    /// Bytes of `out` that are handed over.
    out_done: usize,
    /// Plaintext in `out` of which the session has not been told that it is handed over.
    untold_bytes: usize,
    /// The peer has said that nothing more comes.
    has_ended: bool,
}

impl Channel {
    /// A channel that has its first flight to send.
    pub(super) fn new(mut connection: ClientConnection) -> Channel {
        // `encrypt` bounds what is buffered.
        connection.set_buffer_limit(None);
        let mut channel =
            Channel { connection, out: Vec::new(), out_done: 0, untold_bytes: 0, has_ended: false };
        channel.collect_out();
        channel
    }

    pub(super) fn connection(&self) -> &ClientConnection {
        &self.connection
    }

    pub(super) fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// True once the peer's close_notify has come.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Ciphertext to hand over, always the same until [`Channel::handed_over`].
    pub(super) fn out(&self) -> &[u8] {
        &self.out[self.out_done..]
    }

    /// Takes ciphertext in; plaintext that it completes is added to `plain`.
    ///
    /// # Errors
    /// If the connection is of no more use.
    pub(super) fn take_in(
        &mut self,
        mut ciphertext: &[u8],
        plain: &mut Vec<u8>,
    ) -> Result<(), rustls::Error> {
        while !ciphertext.is_empty() && !self.has_ended {
            // It takes as much as its buffer has room for; what it holds is processed before the next read.
            if !matches!(self.connection.read_tls(&mut ciphertext), Ok(1..)) {
                return Err(rustls::Error::General("more came than TLS can hold".to_owned()));
            }
            let state = self.connection.process_new_packets();
            // Also after an error: the alert that says what it was, and answers that came before.
            self.collect_out();
            let state = state?;
            read_all(&mut self.connection.reader(), state.plaintext_bytes_to_read(), plain);
            self.has_ended = state.peer_has_closed();
        }
        Ok(())
    }

    /// Encrypts of `plaintext`, the session's bytes to send, what is not yet.
    pub(super) fn encrypt(&mut self, plaintext: &[u8]) {
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
    pub(super) fn handed_over(&mut self, bytes: usize) -> usize {
        self.out_done += bytes;
        if self.out_done == self.out.len() {
            self.out.clear();
            self.out_done = 0;
        }
        std::mem::take(&mut self.untold_bytes)
    }

    /// The close_notify that ends what was said; empty where it cannot come next.
    pub(super) fn farewell(mut self) -> Vec<u8> {
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
