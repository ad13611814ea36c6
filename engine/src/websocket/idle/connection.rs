//! One idle connection.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use super::account::IdleAccount;
use crate::driver::Failure;
use crate::driver::socket::connect_result;
use crate::record::ErrorKind;
use crate::tls::{Channel, TlsClient};
use crate::websocket::Socket;
use crate::websocket::failure::{self, Cause};
use crate::websocket::frame::{Came, FrameReader, Opcode, write};
use crate::websocket::handshake::Handshake;
use crate::websocket::random::Random;

/// A server that reads none of so many bytes of pongs does not read at all.
const MOST_UNSENT_BYTES: usize = 64 * 1024;

/// What is needed beside a connection to do something on it.
pub(super) struct Around<'a> {
    pub socket: &'a Socket,
    pub tls: Option<&'a TlsClient>,
    pub random: &'a mut Random,
    pub buffer: &'a mut [u8],
    /// What of it is no ciphertext.
    pub plain: &'a mut Vec<u8>,
    pub account: &'a mut IdleAccount,
}

/// What a connection is doing.
#[derive(Debug)]
enum State {
    Connecting,
    Opening(Box<Handshake>),
    Open,
    /// It has said that it goes; whatever comes is dropped.
    Leaving,
}

/// A connection that sends nothing but its handshake and pongs. It has no buffers but for what came in part.
#[derive(Debug)]
pub(super) struct Connection {
    pub socket: OwnedFd,
    state: State,
    /// Once it is connected, if it is encrypted.
    tls: Option<Box<Channel>>,
    reader: FrameReader,
    unsent: Vec<u8>,
}

impl Connection {
    pub(super) fn new(socket: OwnedFd, message_bytes_limit: u64) -> Connection {
        let reader = FrameReader::new(message_bytes_limit);
        Connection { socket, state: State::Connecting, tls: None, reader, unsent: Vec::new() }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open | State::Leaving)
    }

    pub(super) fn is_opening(&self) -> bool {
        !self.is_open()
    }

    /// True if it waits until the socket takes bytes.
    pub(super) fn has_unsent(&self) -> bool {
        match &self.tls {
            Some(channel) => !channel.out().is_empty(),
            None => matches!(self.state, State::Connecting) || !self.unsent.is_empty(),
        }
    }

    /// Why its handshake took too long.
    pub(super) fn too_late(&self) -> Failure {
        match self.state {
            State::Connecting => ErrorKind::Timeout.because("nobody took the connection"),
            _ => {
                self.tls.as_ref().and_then(|channel| channel.too_late()).unwrap_or_else(failure::no_handshake)
            }
        }
    }

    /// Goes on as far as the socket does.
    ///
    /// # Errors
    /// Why the connection is of no more use.
    pub(super) fn go_on(&mut self, is_readable: bool, around: &mut Around<'_>) -> Result<(), Failure> {
        if matches!(self.state, State::Connecting) {
            connect_result(&self.socket)?;
            self.tls = around.tls.map(TlsClient::channel).transpose()?.map(Box::new);
            let handshake = Box::new(Handshake::new(around.random.nonce()));
            around.socket.opening.write(handshake.key(), &mut self.unsent);
            self.state = State::Opening(handshake);
        }
        self.send_unsent(around.tls)?;
        if is_readable { self.read(around) } else { Ok(()) }
    }

    /// Says that it goes.
    pub(super) fn leave(&mut self, random: &mut Random) {
        write(&mut self.unsent, Opcode::Close, &1001_u16.to_be_bytes(), random.mask());
        self.state = State::Leaving;
        let _ = self.send_unsent(None);
    }

    /// `client`: whose connection it is, if it is encrypted and may still be at its handshake.
    fn send_unsent(&mut self, client: Option<&TlsClient>) -> Result<(), Failure> {
        loop {
            let out = match &mut self.tls {
                Some(channel) => {
                    if !channel.is_handshaking() {
                        channel.encrypt(&self.unsent);
                    }
                    channel.out()
                }
                None => &self.unsent,
            };
            if out.is_empty() {
                break;
            }
            match send(&self.socket, out, SendFlags::NOSIGNAL) {
                Ok(bytes) => {
                    let plain_bytes = self.tls.as_mut().map_or(bytes, |channel| channel.handed_over(bytes));
                    drop(self.unsent.drain(..plain_bytes));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                // What the server said before it went is still to be read.
                Err(_) if self.is_open() => {
                    self.unsent.clear();
                    break;
                }
                Err(error) => return Err(self.broken(error, client)),
            }
        }
        if self.unsent.is_empty() {
            self.unsent = Vec::new();
        }
        Ok(())
    }

    fn read(&mut self, around: &mut Around<'_>) -> Result<(), Failure> {
        let bytes = match recv(&self.socket, &mut *around.buffer, RecvFlags::empty()) {
            Ok((_, 0)) => return Err(self.ended(ErrorKind::Closed, around.tls)),
            Ok((_, bytes)) => bytes,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
            Err(error) => return Err(self.broken(error, around.tls)),
        };
        let mut input = &around.buffer[..bytes];
        if let (Some(channel), Some(client)) = (&mut self.tls, around.tls) {
            let was_handshaking = channel.is_handshaking();
            around.plain.clear();
            if let Err(failure) = channel.take_in(input, around.plain, client) {
                // The alert that says why.
                let _ = self.send_unsent(None);
                return Err(failure);
            }
            if was_handshaking && !channel.is_handshaking() {
                channel.forget_beginning();
            }
            input = around.plain;
            if input.is_empty() {
                return self.answer(around.tls);
            }
        }
        if let State::Opening(handshake) = &mut self.state {
            if !handshake.take(&mut input, &around.socket.opening)? {
                return Ok(());
            }
            self.state = State::Open;
            around.account.opened += 1;
            around.account.open += 1;
        }
        if matches!(self.state, State::Open) {
            self.take_frames(input, around.random, around.account)?;
        }
        self.answer(around.tls)
    }

    /// Sends what there is to say to what came, and looks whether more can come.
    fn answer(&mut self, client: Option<&TlsClient>) -> Result<(), Failure> {
        self.send_unsent(client)?;
        let has_ended = self.tls.as_ref().is_some_and(|channel| channel.has_ended());
        if has_ended { Err(self.ended(ErrorKind::Closed, client)) } else { Ok(()) }
    }

    fn take_frames(
        &mut self,
        mut input: &[u8],
        random: &mut Random,
        account: &mut IdleAccount,
    ) -> Result<(), Failure> {
        let failure = loop {
            match self.reader.next(&mut input) {
                Ok(None) => break None,
                Ok(Some(Came::Message(..))) => account.messages += 1,
                Ok(Some(Came::Ping(payload))) => {
                    write(&mut self.unsent, Opcode::Pong, payload, random.mask());
                    account.pings += 1;
                }
                Ok(Some(Came::Pong)) => {}
                Ok(Some(Came::Close(code, reason))) => {
                    let code_bytes = code.map_or(Vec::new(), |code| code.to_be_bytes().to_vec());
                    write(&mut self.unsent, Opcode::Close, &code_bytes, random.mask());
                    break Some(failure::of_close(code, reason));
                }
                Err(breach) => {
                    let code = failure::code_for(breach).to_be_bytes();
                    write(&mut self.unsent, Opcode::Close, &code, random.mask());
                    break Some(failure::of_breach(breach));
                }
            }
            if self.unsent.len() > MOST_UNSENT_BYTES {
                break Some(Cause::Flood.failure("the server pings, and does not read the answers"));
            }
        };
        match failure {
            Some(failure) => {
                let _ = self.send_unsent(None);
                Err(failure)
            }
            None => {
                if !self.reader.is_unfinished() {
                    // What it held of the last message goes.
                    self.reader.reset();
                }
                Ok(())
            }
        }
    }

    fn broken(&self, error: Errno, client: Option<&TlsClient>) -> Failure {
        let is_reset = matches!(error, Errno::CONNRESET | Errno::PIPE);
        self.ended(if is_reset { ErrorKind::Reset } else { ErrorKind::Closed }, client)
    }

    /// The server has ended the connection without a close frame.
    fn ended(&self, kind: ErrorKind, client: Option<&TlsClient>) -> Failure {
        let of_handshake = self.tls.as_ref().zip(client);
        let is_reset = kind == ErrorKind::Reset;
        if let Some(failure) = of_handshake.and_then(|(channel, client)| channel.of_end(client, is_reset)) {
            return failure;
        }
        match (&self.state, kind) {
            (State::Connecting | State::Opening(_), _) => Cause::HandshakeClosed
                .failure_of(kind, "the connection ended before the handshake was answered"),
            (_, ErrorKind::Reset) => kind.because("the server reset the connection"),
            _ => Cause::NoClose.failure_of(kind, "the connection ended without a close frame"),
        }
    }
}

impl ErrorKind {
    /// A failure of this kind, which the kind alone names.
    fn because(self, explanation: &'static str) -> Failure {
        Failure { kind: self, explanation: explanation.into(), cause: None }
    }
}
