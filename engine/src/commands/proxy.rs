//! `proxy`: latency before a service.

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::process::ExitCode;

use fairtrial_engine::delay::{Delay, parse_span};
use fairtrial_engine::endpoint::Endpoint;
use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::listen::Listen;
use fairtrial_engine::plan::Address;
use fairtrial_engine::processors;
use fairtrial_engine::proxy::{Proxy, ProxySpec};
use fairtrial_engine::signals::{SIGINT, SIGTERM, Signals};

use super::Failure;

/// Carries connections on to a service, later: a round trip takes so much longer. Gives an account when it ends.
#[derive(clap::Args)]
pub struct Arguments {
    /// Where to listen, `127.0.0.1:8080` or `[::1]:8080`; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The service: `127.0.0.1:5432`, `name:5432` or `unix:/path`.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    to: Address,
    /// How much longer a round trip takes, half of it in each direction: 1ms, exponential:1ms,
    /// two-point:1ms:100ms:0.01 or histogram:FILE.
    #[arg(long, value_name = "SPAN", value_parser = parse_latency)]
    latency: Delay,
    /// Bytes per second of each connection in each direction; unlimited without it.
    #[arg(long, value_name = "BYTES_PER_SECOND")]
    bandwidth: Option<NonZeroU64>,
    /// Seed of the latencies.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Processors to be bound to.
    #[arg(long, value_delimiter = ',')]
    cpus: Vec<u32>,
}

fn parse_address(text: &str) -> Result<Address, String> {
    Address::try_from(text.to_owned())
}

/// A span alone is a constant latency.
fn parse_latency(text: &str) -> Result<Delay, String> {
    if text.contains(':') { text.parse() } else { parse_span(text).map(Delay::Constant) }
}

/// Runs the subcommand.
pub fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let signals = Signals::catch(&[SIGINT, SIGTERM])?;
    if !arguments.cpus.is_empty() {
        processors::bind(&arguments.cpus).map_err(|error| Failure::Input(format!("--cpus: {error}")))?;
    }
    let service =
        Endpoint::resolve(&arguments.to).map_err(|error| Failure::Input(format!("--to: {error}")))?;
    let spec = ProxySpec {
        service,
        latency: arguments.latency,
        bytes_per_second: arguments.bandwidth,
        seed: arguments.seed,
    };
    let listen = Listen::Tcp(arguments.listen);
    let proxy =
        Proxy::bind(&listen, spec).map_err(|error| Failure::Input(format!("--listen: {listen}: {error}")))?;
    emit(&Event::Listening { address: proxy.address().to_string() })?;
    emit(&Event::Proxied(&proxy.serve(&signals)?))?;
    Ok(ExitCode::SUCCESS)
}
