//! What servers do with a connection, up to a finished handshake and beyond.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection};

use super::sealed::Sealed;

/// One accepted connection, to its end.
pub type Behaviour = Box<dyn Fn(TcpStream) + Send + Sync>;

/// Behaves once the socket is patient, but not without end.
fn behaviour(behave: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> Behaviour {
    Box::new(move |mut socket| {
        let patience = Some(Duration::from_secs(20));
        socket.set_read_timeout(patience).unwrap();
        socket.set_write_timeout(patience).unwrap();
        // The client may leave at any moment.
        let _ = behave(&mut socket);
    })
}

/// Says nothing more, and hears the client out: what is unread when a socket is closed would reset it.
fn leave(socket: &mut TcpStream) {
    let _ = socket.shutdown(Shutdown::Write);
    let _ = std::io::copy(socket, &mut std::io::sink());
}

fn reset(socket: &TcpStream) {
    rustix::net::sockopt::set_socket_linger(socket, Some(Duration::ZERO)).unwrap();
}

fn hear(socket: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; 16 * 1024];
    let read = socket.read(&mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Answers the ClientHello with these bytes, and leaves.
pub fn says(answer: impl Into<Vec<u8>>) -> Behaviour {
    let answer = answer.into();
    behaviour(move |socket| {
        hear(socket)?;
        socket.write_all(&answer)?;
        leave(socket);
        Ok(())
    })
}

/// Says this before it hears anything, and waits.
pub fn greets(greeting: &'static [u8]) -> Behaviour {
    behaviour(move |socket| {
        socket.write_all(greeting)?;
        std::io::copy(socket, &mut std::io::sink()).map(drop)
    })
}

/// Answers the ClientHello with these bytes, and is silent from then on.
pub fn stops_after(answer: &'static [u8]) -> Behaviour {
    behaviour(move |socket| {
        hear(socket)?;
        socket.write_all(answer)?;
        std::io::copy(socket, &mut std::io::sink()).map(drop)
    })
}

/// Resets the connection after the ClientHello.
pub fn resets() -> Behaviour {
    behaviour(|socket| {
        hear(socket)?;
        reset(socket);
        Ok(())
    })
}

/// Says what `change` makes of its first flight: the ServerHello's record and those behind it. Then it leaves, or resets.
pub fn in_the_handshake(
    config: Arc<ServerConfig>,
    resets: bool,
    change: fn(hello: Vec<u8>, rest: Vec<u8>) -> Vec<u8>,
) -> Behaviour {
    behaviour(move |socket| {
        let mut tls = ServerConnection::new(Arc::clone(&config)).unwrap();
        while !tls.wants_write() {
            tls.read_tls(socket)?;
            tls.process_new_packets().unwrap();
        }
        let mut hello = Vec::new();
        tls.write_tls(&mut hello)?;
        while tls.wants_write() {
            tls.write_tls(&mut hello)?;
        }
        let rest = hello.split_off(5 + usize::from(u16::from_be_bytes([hello[3], hello[4]])));
        socket.write_all(&change(hello, rest))?;
        if resets {
            // Its first words are to be read before they are overtaken.
            std::thread::sleep(Duration::from_millis(20));
            reset(socket);
        } else {
            leave(socket);
        }
        Ok(())
    })
}

/// A connection whose handshake is done, and whose first request has come.
pub struct Secure<'s> {
    pub tls: ServerConnection,
    pub socket: &'s mut TcpStream,
}

impl Secure<'_> {
    pub fn say(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.tls.writer().write_all(text)?;
        self.flush()
    }

    pub fn flush(&mut self) -> std::io::Result<()> {
        while self.tls.wants_write() {
            self.tls.write_tls(self.socket)?;
        }
        Ok(())
    }

    /// Bytes past TLS.
    pub fn say_past(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.socket.write_all(bytes)
    }

    pub fn leave(&mut self) {
        leave(self.socket);
    }

    pub fn reset(&self) {
        std::thread::sleep(Duration::from_millis(20));
        reset(self.socket);
    }

    pub fn hear(&mut self) -> std::io::Result<Vec<u8>> {
        let mut request = vec![0; 16 * 1024];
        let read = rustls::Stream::new(&mut self.tls, self.socket).read(&mut request)?;
        request.truncate(read);
        Ok(request)
    }

    /// Makes records itself from now on.
    pub fn seal(self) -> (Sealed, TcpStream) {
        let socket = self.socket.try_clone().unwrap();
        (Sealed::new(self.tls), socket)
    }
}

/// Does this with each connection once its handshake is done and a request has come.
pub fn asked(
    config: Arc<ServerConfig>,
    answer: impl Fn(Secure<'_>) -> std::io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    behaviour(move |socket| {
        let mut tls = ServerConnection::new(Arc::clone(&config)).unwrap();
        if tls.complete_io(socket).is_err() {
            leave(socket);
            return Ok(());
        }
        let mut secure = Secure { tls, socket };
        match secure.hear() {
            Ok(request) if !request.is_empty() => answer(secure),
            _ => {
                secure.flush()?;
                secure.leave();
                Ok(())
            }
        }
    })
}

/// Answers every request.
pub fn right(config: Arc<ServerConfig>) -> Behaviour {
    asked(config, |mut secure| {
        loop {
            secure.say(OK)?;
            if secure.hear()?.is_empty() {
                return Ok(());
            }
        }
    })
}

pub const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The begin of an answer that is not complete.
pub const HALF: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";

/// Makes such records after half an answer, and hears the client out.
pub fn seals(
    config: Arc<ServerConfig>,
    records: impl Fn(&mut Sealed) -> Vec<u8> + Send + Sync + 'static,
) -> Behaviour {
    asked(config, move |mut secure| {
        secure.say(HALF)?;
        let (mut sealed, mut socket) = secure.seal();
        socket.write_all(&records(&mut sealed))?;
        leave(&mut socket);
        Ok(())
    })
}
