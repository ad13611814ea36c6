//! A connection as a server has it that may break every rule.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;

use super::frames::{ACK, HEADERS, PING, SETTINGS, frame, settings};

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub struct Peer {
    stream: TcpStream,
}

/// A frame that the engine sent.
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Peer {
    pub fn new(stream: TcpStream) -> Peer {
        stream.set_nodelay(true).unwrap();
        Peer { stream }
    }

    /// Awaits the client's preface and sends empty SETTINGS.
    pub fn greet(&mut self) -> io::Result<()> {
        self.greet_with(&settings(&[]))
    }

    /// The same with other bytes.
    pub fn greet_with(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut preface = [0; PREFACE.len()];
        self.stream.read_exact(&mut preface)?;
        assert_eq!(preface, PREFACE);
        self.send(bytes)
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The next frame. SETTINGS and PING are acknowledged.
    pub fn frame(&mut self) -> io::Result<Frame> {
        let frame = self.unacknowledged_frame()?;
        if [SETTINGS, PING].contains(&frame.kind) && frame.flags & ACK == 0 {
            let payload = if frame.kind == PING { &frame.payload[..] } else { &[] };
            self.send(&self::frame(frame.kind, ACK, 0, payload))?;
        }
        Ok(frame)
    }

    pub fn unacknowledged_frame(&mut self) -> io::Result<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head)?;
        let mut payload =
            vec![0; usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2])];
        self.stream.read_exact(&mut payload)?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        Ok(Frame { kind: head[3], flags: head[4], stream, payload })
    }

    /// The stream of the next request.
    pub fn request(&mut self) -> io::Result<u32> {
        loop {
            let frame = self.frame()?;
            if frame.kind == HEADERS {
                return Ok(frame.stream);
            }
        }
    }

    /// The streams of the next four requests.
    pub fn four_requests(&mut self) -> io::Result<[u32; 4]> {
        Ok([self.request()?, self.request()?, self.request()?, self.request()?])
    }

    /// Answers each request until the engine closes.
    pub fn serve(&mut self, mut answer: impl FnMut(u32) -> Vec<u8>) -> io::Result<()> {
        loop {
            let stream = self.request()?;
            self.send(&answer(stream))?;
        }
    }

    /// Says nothing more, and reads what comes.
    pub fn fall_silent(&mut self) -> io::Result<()> {
        io::copy(&mut self.stream, &mut io::sink()).map(|_| ())
    }

    /// Sends these bytes again and again, and reads nothing.
    pub fn flood(&mut self, bytes: &[u8]) -> io::Result<()> {
        let many = bytes.repeat(65_536_usize.div_ceil(bytes.len()));
        loop {
            self.send(&many)?;
        }
    }

    /// Closes after all that was sent: what the engine sends meanwhile does not make a reset of it.
    pub fn close(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        self.fall_silent()
    }

    /// Closes so that the engine sees a reset.
    pub fn reset(&mut self) -> io::Result<()> {
        Ok(set_socket_linger(&self.stream, Some(Duration::ZERO))?)
    }
}
