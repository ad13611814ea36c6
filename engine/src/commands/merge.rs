//! `merge`: makes the parts of several engines one summary.

use std::io::{self, BufRead};
use std::process::ExitCode;

use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::record::Part;

use lexopt::Parser;

use super::{Failure, Wrong, other};

pub const HELP: &str = "\
Merges the parts of one load, which several engines have offered together, into its summary.

fairtrial-engine merge < PARTS

Standard input has the `part` event of each engine, one a line. Other events among them are passed over.";

pub struct Arguments;

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        match arguments.next()? {
            Some(argument) => Err(other(argument)),
            None => Ok(Arguments),
        }
    }
}

#[derive(serde::Deserialize)]
struct Kind {
    event: String,
}

/// Runs the subcommand.
pub fn run(_: &Arguments) -> Result<ExitCode, Failure> {
    let mut parts = Vec::new();
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        let invalid = |error: serde_json::Error| Failure::Input(format!("line {}: {error}", number + 1));
        let kind: Kind = serde_json::from_str(&line).map_err(invalid)?;
        if kind.event == "part" {
            parts.push(serde_json::from_str::<Part>(&line).map_err(invalid)?);
        }
    }
    let summary = Part::merge(parts).map_err(|unfit| Failure::Input(unfit.to_string()))?;
    emit(&Event::Summary(&summary))?;
    Ok(ExitCode::SUCCESS)
}
