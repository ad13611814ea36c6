//! `idle`: WebSockets that are opened and kept.

use std::process::ExitCode;

use fairtrial_engine::coordinator::Run;
use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::hold::Hold;
use fairtrial_engine::plan::{InvalidPlan, Plan};

use lexopt::Parser;

use super::{Failure, Wrong, other};

pub const HELP: &str = "\
Opens the connections of the plan, one line of standard input, and keeps them as WebSockets that answer pings and send
nothing else, until standard input ends. Says how many are open when all were tried, at each further line `count`, and at
the end.

fairtrial-engine idle < PLAN";

pub struct Arguments;

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        arguments.next()?.map_or(Ok(Arguments), |argument| Err(other(argument)))
    }
}

/// Runs the subcommand.
pub fn run(_: &Arguments) -> Result<ExitCode, Failure> {
    let invalid = |error: InvalidPlan| Failure::Input(format!("{error}"));
    let mut input = Hold::default();
    let plan = Plan::from_json(&input.read_line()?).map_err(invalid)?;
    let connections = Run::prepare(plan).and_then(Run::idle_connections).map_err(invalid)?;
    connections.keep(&mut input, |state, account, elapsed_ns| {
        emit(&Event::Idle { state, elapsed_seconds: fairtrial_engine::clock::seconds(elapsed_ns), account })
    })?;
    Ok(ExitCode::SUCCESS)
}
