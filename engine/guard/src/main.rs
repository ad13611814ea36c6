//! `fairtrial-guard`: runs a command and leaves nothing of it behind. See `docs/engine-protocol.md`.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fairtrial_guard::{GuardError, GuardPlan, guard};

/// A wrong argument.
const WRONG_ARGUMENT: u8 = 2;

/// The command cannot be started.
const NOT_STARTED: u8 = 127;

/// Runs a command and ends its whole process tree when standard input ends.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    /// Processors that the command is bound to.
    #[arg(long, value_delimiter = ',')]
    cpus: Vec<u32>,
    /// Between SIGTERM and SIGKILL.
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = grace)]
    grace_seconds: Duration,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn grace(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=86_400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("not from 0 to 86400".to_owned())
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (program, rest) = arguments.command.split_first().expect("clap requires a command");
    let plan = GuardPlan {
        cpus: arguments.cpus,
        grace: arguments.grace_seconds,
        program: program.clone(),
        arguments: rest.to_vec(),
    };
    let failure = match guard(&plan, std::io::stdin().as_fd()) {
        Ok(status) => return ExitCode::from(status),
        Err(error) => error,
    };
    match failure {
        GuardError::Start(error) => {
            eprintln!("fairtrial-guard: {}: {error}", program.display());
            ExitCode::from(NOT_STARTED)
        }
        GuardError::Processors(_) => {
            eprintln!("fairtrial-guard: {failure}");
            ExitCode::from(WRONG_ARGUMENT)
        }
        GuardError::System(_) => {
            eprintln!("fairtrial-guard: {failure}");
            ExitCode::FAILURE
        }
    }
}
