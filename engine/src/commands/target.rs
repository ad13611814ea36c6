//! `target`: a calibrated HTTP server to aim at.

use std::net::SocketAddr;
use std::process::ExitCode;

use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::processors;
use fairtrial_engine::signals::{SIGINT, SIGTERM, Signals};
use fairtrial_engine::target::{AnswerSpec, Target};

use super::Failure;

/// Answers every request alike, and counts what it served.
#[derive(clap::Args)]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Status of every answer.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(200..600))]
    status: u16,
    /// Body of every answer.
    #[arg(long, conflicts_with = "body_bytes")]
    body: Option<String>,
    /// Length of a body of this many letters.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=64 << 20))]
    body_bytes: Option<u64>,
    /// Content-Type of every answer.
    #[arg(long, default_value = "text/plain")]
    content_type: String,
    /// Processors to be bound to.
    #[arg(long, value_delimiter = ',')]
    cpus: Vec<u32>,
}

/// Runs the subcommand.
pub fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let signals = Signals::catch(&[SIGINT, SIGTERM])?;
    if !arguments.cpus.is_empty() {
        processors::bind(&arguments.cpus).map_err(|error| Failure::Input(format!("--cpus: {error}")))?;
    }
    let body = match (arguments.body, arguments.body_bytes) {
        (Some(text), _) => text.into_bytes(),
        (None, Some(bytes)) => vec![b'x'; bytes as usize],
        (None, None) => b"ok".to_vec(),
    };
    if arguments.content_type.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(Failure::Input("--content-type: control characters are not allowed".to_owned()));
    }
    let answer = AnswerSpec { status: arguments.status, content_type: arguments.content_type, body };
    let listen = arguments.listen;
    let target = Target::bind(listen, &answer)
        .map_err(|error| Failure::Input(format!("--listen: {listen}: {error}")))?;
    emit(&Event::Listening { address: target.address() })?;
    let served = target.serve(signals)?;
    emit(&Event::Served { requests: served.requests, connections: served.connections })?;
    Ok(ExitCode::SUCCESS)
}
