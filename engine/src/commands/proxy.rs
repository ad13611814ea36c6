//! `proxy`: latency before a service.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU64;
use std::process::ExitCode;

use fairtrial_engine::delay::{Delay, parse_share, parse_span};
use fairtrial_engine::endpoint::Endpoint;
use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::listen::Listen;
use fairtrial_engine::plan::Address;
use fairtrial_engine::processors;
use fairtrial_engine::proxy::{DatagramProxy, DatagramSpec, Proxy, ProxySpec};
use fairtrial_engine::signals::{SIGINT, SIGTERM, SIGUSR1, Signals};

use lexopt::{Arg, Parser};

use super::{Failure, Wrong, list, other, value};

pub const HELP: &str = "\
Carries connections on to a service, later: a round trip takes so much longer. Gives an account when it ends, and tells
its round trips so far at SIGUSR1.

fairtrial-engine proxy --to ADDRESS --latency SPAN [OPTION ...]

  --listen ADDRESS             where to listen, 127.0.0.1:8080 or [::1]:8080; by default a free port of 127.0.0.1
  --to ADDRESS                 the service: 127.0.0.1:5432, name:5432 or unix:/path
  --latency SPAN               how much longer a round trip takes, half of it in each direction: 1ms, exponential:1ms,
                               two-point:1ms:100ms:0.01 or histogram:FILE
  --udp                        carries datagrams on, as HTTP/3 has them; ADDRESS has an IP address and a port
  --loss SHARE                 of the datagrams in each direction that are lost, 0 to 1; needs --udp
  --bandwidth BYTES_PER_SECOND of each connection in each direction; unlimited without it
  --seed N                     seed of the latencies; 0 by default
  --cpus CPU,CPU               processors to be bound to";

pub struct Arguments {
    listen: SocketAddr,
    to: Address,
    latency: Delay,
    bandwidth: Option<NonZeroU64>,
    udp: bool,
    loss_share: f64,
    seed: u64,
    cpus: Vec<u32>,
}

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        let mut listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (mut to, mut latency, mut bandwidth, mut seed, mut cpus) = (None, None, None, 0, Vec::new());
        let (mut udp, mut loss_share) = (false, None);
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("listen") => listen = value(arguments, "listen", str::parse)?,
                Arg::Long("to") => to = Some(value(arguments, "to", parse_address)?),
                Arg::Long("latency") => latency = Some(value(arguments, "latency", parse_latency)?),
                Arg::Long("bandwidth") => bandwidth = Some(value(arguments, "bandwidth", str::parse)?),
                Arg::Long("udp") => udp = true,
                Arg::Long("loss") => loss_share = Some(value(arguments, "loss", parse_share)?),
                Arg::Long("seed") => seed = value(arguments, "seed", str::parse)?,
                Arg::Long("cpus") => cpus = list(arguments, "cpus")?,
                argument => return Err(other(argument)),
            }
        }
        let (Some(to), Some(latency)) = (to, latency) else {
            return Err(Wrong::Argument("--to and --latency are needed".to_owned()));
        };
        if udp && bandwidth.is_some() {
            return Err(Wrong::Argument("--bandwidth is of connections: leave --udp out".to_owned()));
        }
        if !udp && loss_share.is_some() {
            return Err(Wrong::Argument(
                "--loss needs --udp: TCP loses nothing that a proxy has read".to_owned(),
            ));
        }
        let loss_share = loss_share.unwrap_or(0.0);
        Ok(Arguments { listen, to, latency, bandwidth, udp, loss_share, seed, cpus })
    }
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
    let mut signals = Signals::catch(&[SIGINT, SIGTERM, SIGUSR1])?;
    if !arguments.cpus.is_empty() {
        processors::bind(&arguments.cpus).map_err(|error| Failure::Input(format!("--cpus: {error}")))?;
    }
    let service = Endpoint::at(&arguments.to).map_err(|error| Failure::Input(format!("--to: {error}")))?;
    if arguments.udp {
        return carry_datagrams(&service, &arguments, &mut signals);
    }
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
    emit(&Event::Proxied(&proxy.serve(&mut signals)?))?;
    Ok(ExitCode::SUCCESS)
}

fn carry_datagrams(
    service: &Endpoint,
    arguments: &Arguments,
    signals: &mut Signals,
) -> Result<ExitCode, Failure> {
    let Endpoint::Tcp(routes) = service else {
        return Err(Failure::Input("--to: datagrams go to an IP address and a port".to_owned()));
    };
    let service = routes[0].to;
    let (latency, loss_share, seed) = (arguments.latency.clone(), arguments.loss_share, arguments.seed);
    let listen = arguments.listen;
    let proxy = DatagramProxy::bind(listen, DatagramSpec { service, latency, loss_share, seed })
        .map_err(|error| Failure::Input(format!("--listen: {listen}: {error}")))?;
    emit(&Event::Listening { address: proxy.address()?.to_string() })?;
    emit(&Event::ProxiedDatagrams(&proxy.serve(signals)?))?;
    Ok(ExitCode::SUCCESS)
}
