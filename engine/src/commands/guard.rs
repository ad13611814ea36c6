//! `guard`: runs a command and leaves nothing of it behind.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::process::ExitCode;

use fairtrial_engine::clock;
use fairtrial_engine::guard::{GuardError, GuardPlan, guard};

use super::Failure;

/// Runs a command and ends its whole process tree when standard input ends.
#[derive(clap::Args)]
pub struct Arguments {
    /// Processors that the command is bound to.
    #[arg(long, value_delimiter = ',')]
    cpus: Vec<u32>,
    /// Between SIGTERM and SIGKILL.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = grace)]
    grace_seconds: f64,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn grace(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=86_400.0).contains(&seconds) { Ok(seconds) } else { Err("not from 0 to 86400".to_owned()) }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (program, rest) = arguments.command.split_first().expect("clap requires a command");
    let plan = GuardPlan {
        cpus: arguments.cpus.clone(),
        grace_ns: clock::from_seconds(arguments.grace_seconds),
        program: program.clone(),
        arguments: rest.to_vec(),
    };
    match guard(&plan, std::io::stdin().as_fd()) {
        Ok(status) => Ok(ExitCode::from(status)),
        Err(error @ GuardError::Processors(_)) => Err(Failure::Input(error.to_string())),
        Err(GuardError::Start(error)) => {
            eprintln!("fairtrial-engine: guard: {}: {error}", program.display());
            Ok(ExitCode::from(127))
        }
        Err(GuardError::System(error)) => Err(error.into()),
    }
}
