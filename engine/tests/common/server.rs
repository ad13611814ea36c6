//! Small servers that behave in any way a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A server with one thread per connection; ends with the test's process.
pub struct Server {
    pub address: String,
}

impl Server {
    /// `behave` gets every connection, numbered from 0.
    pub fn start(behave: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let behave = Arc::new(behave);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let behave = Arc::clone(&behave);
                let Ok(stream) = stream else { continue };
                thread::spawn(move || behave(number, stream));
            }
        });
        Server { address }
    }

    /// Answers every request with these pieces, sent one by one, and keeps the connection.
    pub fn answering(pieces: &[&[u8]]) -> Server {
        let pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
        Server::start(move |_, mut stream| {
            stream.set_nodelay(true).unwrap();
            while read_request(&mut stream).is_some() {
                for piece in &pieces {
                    if stream.write_all(piece).is_err() {
                        return;
                    }
                    thread::yield_now();
                }
            }
        })
    }

    /// Answers every connection's first request with these bytes and closes.
    pub fn closing_after(bytes: &[u8]) -> Server {
        let bytes = bytes.to_vec();
        Server::start(move |_, mut stream| {
            if read_request(&mut stream).is_some() {
                let _ = stream.write_all(&bytes);
            }
        })
    }
}

/// Reads one request; `None` at the end. Gives its head.
pub fn read_request(stream: &mut TcpStream) -> Option<String> {
    // One byte at a time, so that nothing of a following request is lost.
    let mut reader = BufReader::with_capacity(1, stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(head)
}
