//! Has an instrumented server write its profile: starts the program named, asks it for /plaintext, and ends it.
//!
//! A file of its own without dependencies: `rustc -O training/plaintext.rs`.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};
use std::{env, thread};

const CONNECTIONS: usize = 16;
/// Instrumented code counts every call: the profile needs no more than what start and end of the server do not outweigh.
const REQUESTS: usize = 100_000;
const REQUEST: &[u8] = b"GET /plaintext HTTP/1.1\r\nHost: training\r\n\r\n";
const BODY: &[u8] = b"Hello, World!";
const PATIENCE: Duration = Duration::from_secs(10);

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let Some(program) = env::args().nth(1) else {
        eprintln!("usage: train PROGRAM");
        return ExitCode::from(2);
    };
    match train(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train: {error}");
            ExitCode::FAILURE
        }
    }
}

fn train(program: &str) -> Outcome<()> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut server = Command::new(program)
        .env_clear()
        .env("HOST", address.ip().to_string())
        .env("PORT", address.port().to_string())
        .spawn()?;
    let loaded = load(address);
    end(&mut server)?;
    loaded
}

/// Sends all requests, over some connections side by side.
fn load(address: SocketAddr) -> Outcome<()> {
    drop(connect(address)?);
    thread::scope(|scope| {
        let asking: Vec<_> = (0..CONNECTIONS)
            .map(|_| scope.spawn(move || ask(address, REQUESTS / CONNECTIONS)))
            .collect();
        asking
            .into_iter()
            .try_for_each(|each| each.join().expect("no thread panics"))
    })
}

/// Connects as soon as the server listens.
fn connect(address: SocketAddr) -> Outcome<TcpStream> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match TcpStream::connect(address) {
            Err(_) if Instant::now() < deadline => thread::sleep(Duration::from_millis(20)),
            connected => return Ok(connected?),
        }
    }
}

/// Sends so many requests one after another.
fn ask(address: SocketAddr, times: usize) -> Outcome<()> {
    let mut connection = connect(address)?;
    connection.set_nodelay(true)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    for _ in 0..times {
        connection.write_all(REQUEST)?;
        read_answer(&mut connection)?;
    }
    Ok(())
}

/// Reads an answer up to its body, which is known.
fn read_answer(connection: &mut TcpStream) -> Outcome<()> {
    let mut answer = [0; 1024];
    let mut length = 0;
    while !answer[..length].ends_with(BODY) {
        let read = connection.read(&mut answer[length..])?;
        if read == 0 {
            let answered = String::from_utf8_lossy(&answer[..length]);
            return Err(format!("GET /plaintext was answered {answered:?}").into());
        }
        length += read;
    }
    Ok(())
}

/// Ends the server in order, so that it writes its profile.
fn end(server: &mut Child) -> Outcome<()> {
    let asked = Command::new("kill").arg(server.id().to_string()).status()?;
    let status = server.wait()?;
    if !asked.success() || !status.success() {
        return Err(format!("the server ended with {status}").into());
    }
    Ok(())
}
