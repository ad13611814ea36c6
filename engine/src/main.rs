//! `fairtrial-engine`: see `docs/engine-protocol.md`.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The load engine of Fairtrial.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(commands::run::Arguments),
    Target(Box<commands::target::Arguments>),
    Proxy(Box<commands::proxy::Arguments>),
    Dataset(commands::dataset::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Target(arguments) => commands::target::run(*arguments),
        Command::Proxy(arguments) => commands::proxy::run(*arguments),
        Command::Dataset(arguments) => commands::dataset::run(&arguments),
    };
    outcome.unwrap_or_else(|failure| failure.report())
}
