//! `fairtrial-engine`: see `docs/engine-protocol.md`.

mod commands;

use std::process::ExitCode;

use commands::{Failure, Wrong, dataset, idle, merge, proxy, run, target};
use lexopt::{Arg, Parser};

const HELP: &str = "\
The load engine of Fairtrial.

fairtrial-engine COMMAND [OPTION ...]

  run      offers load as the plan on standard input says, verifies answers, prints events
  idle     opens WebSockets, keeps them without messages, and says what became of them
  target   answers every request alike, or with planned delays and faults, and counts what it served
  proxy    carries connections on to a service, later, and gives an account when it ends
  dataset  writes or describes the dataset that standard input describes
  merge    makes the parts of a load that several engines offered one summary

fairtrial-engine COMMAND --help tells the options of a command.";

fn main() -> ExitCode {
    outcome(&mut Parser::from_env()).unwrap_or_else(|failure| failure.report())
}

fn outcome(arguments: &mut Parser) -> Result<ExitCode, Failure> {
    let named = match arguments.next().map_err(Wrong::from)? {
        Some(Arg::Value(name)) => name,
        Some(Arg::Long("version") | Arg::Short('V')) => {
            return told(concat!("fairtrial-engine ", env!("CARGO_PKG_VERSION")));
        }
        Some(Arg::Long("help") | Arg::Short('h')) => return told(HELP),
        Some(other) => return Err(Wrong::from(other.unexpected()).into()),
        None => {
            return Err(Failure::Input(
                "a command is needed: run, idle, target, proxy, dataset or merge".to_owned(),
            ));
        }
    };
    match named.to_str() {
        Some("run") => match run::Arguments::parse(arguments) {
            Err(Wrong::HelpAsked) => told(run::HELP),
            parsed => run::run(&parsed?),
        },
        Some("idle") => match idle::Arguments::parse(arguments) {
            Err(Wrong::HelpAsked) => told(idle::HELP),
            parsed => idle::run(&parsed?),
        },
        Some("target") => match target::Arguments::parse(arguments) {
            Err(Wrong::HelpAsked) => told(target::HELP),
            parsed => target::run(parsed?),
        },
        Some("proxy") => match proxy::Arguments::parse(arguments) {
            Err(Wrong::HelpAsked) => told(proxy::HELP),
            parsed => proxy::run(parsed?),
        },
        Some("dataset") => match dataset::Arguments::parse(arguments) {
            Err(Wrong::HelpAsked) => told(dataset::HELP),
            parsed => dataset::run(&parsed?),
        },
        Some("merge") => match merge::Arguments::parse(arguments) {
            Err(Wrong::HelpAsked) => told(merge::HELP),
            parsed => merge::run(&parsed?),
        },
        _ => Err(Failure::Input(format!(
            "there is no command {}; there are: run, idle, target, proxy, dataset, merge",
            named.to_string_lossy()
        ))),
    }
}

/// Prints what was asked for instead of a command.
fn told(text: &str) -> Result<ExitCode, Failure> {
    println!("{text}");
    Ok(ExitCode::SUCCESS)
}
