//! `target`: a calibrated HTTP server to aim at.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use fairtrial_engine::delay::{parse_share, parse_span};
use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::listen::Listen;
use fairtrial_engine::processors;
use fairtrial_engine::signals::{SIGINT, SIGTERM, Signals};
use fairtrial_engine::target::{AnswerSpec, Faults, Target, TargetSpec};
use fairtrial_engine::tls::{ServerTls, TlsServerSpec, TlsVersion};

use lexopt::{Arg, Parser, ValueExt};

use super::{Failure, Wrong, list, other, value};

pub const HELP: &str = "\
Answers every request alike, or with planned delays and faults, and counts what it served.

fairtrial-engine target [OPTION ...]

  --listen ADDRESS         where to listen, 127.0.0.1:8080 or [::1]:8080; by default a free port of 127.0.0.1
  --unix PATH              listen at a Unix socket instead
  --status N               status of every answer; 200 by default
  --body TEXT              body of every answer; ok by default
  --body-bytes N           a body of so many letters instead
  --content-type TYPE      of every answer; text/plain by default
  --cpus CPU,CPU           processors to be bound to

Each of these makes the target measure its own delay:
  --delay SPAN             of every answer: constant:5ms, exponential:5ms, two-point:1ms:100ms:0.01 or histogram:FILE
  --stall EVERY:LENGTH     stand still every so often for so long, as in 2s:200ms
  --reset SHARE            of requests whose connection is reset instead
  --status-5xx SHARE       of answers with status 503
  --wrong-length SHARE     of answers with a body one byte too long
  --cut-body SHARE         of answers that end, with the connection, in the middle of the body
  --pause-40ms SHARE       of answers whose body comes 40 ms after the head
  --slow-body LENGTH       every body comes in ten parts over this time
  --seed N                 seed of delays and faults; 0 by default
  --measure                measure the target's own delay, even without any fault

TLS, with PEM files:
  --tls-certificate FILE   speak TLS with this certificate; needs --tls-key
  --tls-key FILE           the certificate's key
  --tls-client-ca FILE     ask for client certificates of this CA
  --tls-version VERSION    speak this version only: 1.2 or 1.3
  --tls-resumption         let clients take up sessions of earlier connections";

const LONGEST_BODY_BYTES: u64 = 64 << 20;

pub struct Arguments {
    listen: Listen,
    status: u16,
    body: Vec<u8>,
    content_type: String,
    cpus: Vec<u32>,
    faults: FaultArguments,
    tls: TlsArguments,
}

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        let (mut listen, mut unix, mut status, mut body, mut body_bytes) = (None, None, 200, None, None);
        let (mut content_type, mut cpus) = ("text/plain".to_owned(), Vec::new());
        let (mut faults, mut tls) = (FaultArguments::default(), TlsArguments::default());
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("listen") => listen = Some(value(arguments, "listen", str::parse)?),
                Arg::Long("unix") => unix = Some(PathBuf::from(arguments.value()?)),
                Arg::Long("status") => status = value(arguments, "status", parse_status)?,
                Arg::Long("body") => body = Some(arguments.value()?.string()?),
                Arg::Long("body-bytes") => body_bytes = Some(value(arguments, "body-bytes", parse_length)?),
                Arg::Long("content-type") => content_type = arguments.value()?.string()?,
                Arg::Long("cpus") => cpus = list(arguments, "cpus")?,
                Arg::Long(name) => {
                    let name = name.to_owned();
                    if !faults.take(&name, arguments)? && !tls.take(&name, arguments)? {
                        return Err(other(Arg::Long(&name)));
                    }
                }
                argument => return Err(other(argument)),
            }
        }
        tls.check()?;
        let listen = match (listen, unix) {
            (Some(_), Some(_)) => return wrong("--unix takes the place of --listen"),
            (_, Some(path)) => Listen::Unix(path),
            (address, None) => Listen::Tcp(address.unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))),
        };
        let body = match (body, body_bytes) {
            (Some(_), Some(_)) => return wrong("--body-bytes takes the place of --body"),
            (Some(text), None) => text.into_bytes(),
            (None, Some(bytes)) => vec![b'x'; bytes],
            (None, None) => b"ok".to_vec(),
        };
        Ok(Arguments { listen, status, body, content_type, cpus, faults, tls })
    }
}

fn wrong<T>(text: &str) -> Result<T, Wrong> {
    Err(Wrong::Argument(text.to_owned()))
}

fn parse_status(text: &str) -> Result<u16, &'static str> {
    let status = text.parse().ok().filter(|status| (200..600).contains(status));
    status.ok_or("a number from 200 to 599 is needed")
}

fn parse_length(text: &str) -> Result<usize, String> {
    match text.parse::<u64>() {
        Ok(bytes) if bytes <= LONGEST_BODY_BYTES => Ok(bytes as usize),
        _ => Err(format!("a number up to {LONGEST_BODY_BYTES} is needed")),
    }
}

/// What differs from an answer at once.
#[derive(Default)]
struct FaultArguments {
    faults: Faults,
    measure: bool,
}

/// TLS. All files are PEM.
#[derive(Default)]
struct TlsArguments {
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    client_ca: Option<PathBuf>,
    version: Option<TlsVersion>,
    resumes: bool,
}

impl TlsArguments {
    /// Whether the option of this name is one of these, which then has its value.
    fn take(&mut self, name: &str, arguments: &mut Parser) -> Result<bool, Wrong> {
        match name {
            "tls-certificate" => self.certificate = Some(PathBuf::from(arguments.value()?)),
            "tls-key" => self.key = Some(PathBuf::from(arguments.value()?)),
            "tls-client-ca" => self.client_ca = Some(PathBuf::from(arguments.value()?)),
            "tls-version" => self.version = Some(value(arguments, name, parse_version)?),
            "tls-resumption" => self.resumes = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn check(&self) -> Result<(), Wrong> {
        let more = self.client_ca.is_some() || self.version.is_some() || self.resumes;
        if self.certificate.is_some() != self.key.is_some() || (more && self.certificate.is_none()) {
            return wrong("TLS needs --tls-certificate and --tls-key");
        }
        Ok(())
    }

    fn server(self) -> Result<Option<ServerTls>, Failure> {
        let (Some(certificate_file), Some(key_file)) = (self.certificate, self.key) else {
            return Ok(None);
        };
        let spec = TlsServerSpec {
            certificate_file,
            key_file,
            client_ca_file: self.client_ca,
            only: self.version,
            resumes: self.resumes,
        };
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
    /// Whether the option of this name is one of these, which then has its value.
    fn take(&mut self, name: &str, arguments: &mut Parser) -> Result<bool, Wrong> {
        let faults = &mut self.faults;
        match name {
            "delay" => faults.delay = Some(value(arguments, name, str::parse)?),
            "stall" => faults.stalls = Some(value(arguments, name, str::parse)?),
            "reset" => faults.reset_share = value(arguments, name, parse_share)?,
            "status-5xx" => faults.status_5xx_share = value(arguments, name, parse_share)?,
            "wrong-length" => faults.wrong_length_share = value(arguments, name, parse_share)?,
            "cut-body" => faults.cut_body_share = value(arguments, name, parse_share)?,
            "pause-40ms" => faults.pause_40ms_share = value(arguments, name, parse_share)?,
            "slow-body" => faults.slow_body_ns = Some(value(arguments, name, parse_span)?),
            "seed" => faults.seed = value(arguments, name, str::parse)?,
            "measure" => self.measure = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `None` if the target has nothing to do but to answer.
    fn faults(self) -> Result<Option<Faults>, Failure> {
        let faults = self.faults;
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
    if arguments.content_type.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(Failure::Input("--content-type: control characters are not allowed".to_owned()));
    }
    let answer =
        AnswerSpec { status: arguments.status, content_type: arguments.content_type, body: arguments.body };
    let listen = arguments.listen;
    let option = if matches!(listen, Listen::Unix(_)) { "--unix" } else { "--listen" };
    let spec = TargetSpec { answer, faults: arguments.faults.faults()?, tls: arguments.tls.server()? };
    let target = Target::bind(&listen, spec)
        .map_err(|error| Failure::Input(format!("{option}: {listen}: {error}")))?;
    emit(&Event::Listening { address: target.address().to_string() })?;
    let served = target.serve(&signals)?;
    emit(&Event::Served {
        requests: served.requests,
        connections: served.connections,
        faults: served.faults,
        delay: served.delay.as_ref(),
        answers_each_ms: served.answers_each_ms.as_deref(),
    })?;
    Ok(ExitCode::SUCCESS)
}
