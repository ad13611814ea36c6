//! `target`: a calibrated HTTP server to aim at.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use fairtrial_engine::delay::{Delay, parse_share, parse_span};
use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::listen::Listen;
use fairtrial_engine::processors;
use fairtrial_engine::signals::{SIGINT, SIGTERM, Signals};
use fairtrial_engine::target::{AnswerSpec, Faults, Stalls, Target, TargetSpec};
use fairtrial_engine::tls::{ServerTls, TlsServerSpec, TlsVersion};

use super::Failure;

/// Answers every request alike, or with planned delays and faults, and counts what it served.
#[derive(clap::Args)]
pub struct Arguments {
    /// Where to listen, `127.0.0.1:8080` or `[::1]:8080`; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Listen at a Unix socket instead.
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    unix: Option<PathBuf>,
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
    #[command(flatten)]
    faults: FaultArguments,
    #[command(flatten)]
    tls: TlsArguments,
}

/// What differs from an answer at once. Each of these makes the target measure its own delay.
#[derive(clap::Args)]
#[group(id = "any_fault", multiple = true)]
struct FaultArguments {
    /// Delay of every answer: constant:5ms, exponential:5ms, two-point:1ms:100ms:0.01 or histogram:FILE.
    #[arg(long)]
    delay: Option<Delay>,
    /// Stand still every so often for so long, as in 2s:200ms.
    #[arg(long, value_name = "EVERY:LENGTH")]
    stall: Option<Stalls>,
    /// Share of requests whose connection is reset instead.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    reset: f64,
    /// Share of answers with status 503.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    status_5xx: f64,
    /// Share of answers with a body one byte too long.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    wrong_length: f64,
    /// Share of answers that end, with the connection, in the middle of the body.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    cut_body: f64,
    /// Share of answers whose body comes 40 ms after the head.
    #[arg(long = "pause-40ms", value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    pause_40ms: f64,
    /// Every body comes in ten parts over this time.
    #[arg(long, value_name = "LENGTH", value_parser = parse_span)]
    slow_body: Option<u64>,
    /// Seed of delays and faults.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Measure the target's own delay, even without any fault.
    #[arg(long)]
    measure: bool,
}

/// TLS. All files are PEM.
#[derive(clap::Args)]
struct TlsArguments {
    /// Speak TLS with this certificate.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The certificate's key.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Ask for client certificates of this CA.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_client_ca: Option<PathBuf>,
    /// Speak this version only: 1.2 or 1.3.
    #[arg(long, value_name = "VERSION", value_parser = parse_version, requires = "tls_certificate")]
    tls_version: Option<TlsVersion>,
}

impl TlsArguments {
    fn server(self) -> Result<Option<ServerTls>, Failure> {
        let (Some(certificate_file), Some(key_file)) = (self.tls_certificate, self.tls_key) else {
            return Ok(None);
        };
        let client_ca_file = self.tls_client_ca;
        let spec = TlsServerSpec { certificate_file, key_file, client_ca_file, only: self.tls_version };
        ServerTls::new(&spec).map(Some).map_err(|error| Failure::Input(format!("TLS: {error}")))
    }
}

fn parse_version(text: &str) -> Result<TlsVersion, String> {
    match text {
        "1.2" => Ok(TlsVersion::V1_2),
        "1.3" => Ok(TlsVersion::V1_3),
        _ => Err("1.2 or 1.3 is needed".to_owned()),
    }
}

impl FaultArguments {
    /// `None` if the target has nothing to do but to answer.
    fn faults(self) -> Result<Option<Faults>, Failure> {
        let faults = Faults {
            delay: self.delay,
            stalls: self.stall,
            reset_share: self.reset,
            status_5xx_share: self.status_5xx,
            wrong_length_share: self.wrong_length,
            cut_body_share: self.cut_body,
            pause_40ms_share: self.pause_40ms,
            slow_body_ns: self.slow_body,
            seed: self.seed,
        };
        if faults.shares_exceed_one() {
            return Err(Failure::Input("the shares of --reset, --status-5xx, --wrong-length, --cut-body and --pause-40ms exceed 1 together".to_owned()));
        }
        let is_plain = Faults { seed: 0, ..faults.clone() } == Faults::default();
        Ok((self.measure || !is_plain).then_some(faults))
    }
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
    let (argument, listen) = match arguments.unix {
        Some(path) => ("--unix", Listen::Unix(path)),
        None => ("--listen", Listen::Tcp(arguments.listen)),
    };
    let spec = TargetSpec { answer, faults: arguments.faults.faults()?, tls: arguments.tls.server()? };
    let target = Target::bind(&listen, spec)
        .map_err(|error| Failure::Input(format!("{argument}: {listen}: {error}")))?;
    emit(&Event::Listening { address: target.address().to_string() })?;
    let served = target.serve(&signals)?;
    emit(&Event::Served {
        requests: served.requests,
        connections: served.connections,
        faults: served.faults,
        delay: served.delay.as_ref(),
    })?;
    Ok(ExitCode::SUCCESS)
}
