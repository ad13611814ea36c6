//! `merge`: makes the parts of several engines one summary.

use std::io::{self, BufRead};
use std::process::ExitCode;

use fairtrial_engine::events::{Event, emit};
use fairtrial_engine::record::Part;

use lexopt::{Arg, Parser};

use super::{Failure, Wrong, other};

pub const HELP: &str = "\
Merges the parts of one load, which several engines have offered together, into its summary.

fairtrial-engine merge [--in-turn] < PARTS

Standard input has the `part` event of each engine, one a line. Other events among them are passed over.

--in-turn  they are windows of the same load, one after the other, each offered by a single engine";

pub struct Arguments {
    in_turn: bool,
}

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        let mut in_turn = false;
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("in-turn") => in_turn = true,
                _ => return Err(other(argument)),
            }
        }
        Ok(Arguments { in_turn })
    }
}

#[derive(serde::Deserialize)]
struct Kind {
    event: String,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut parts = Vec::new();
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        let invalid = |error: serde_json::Error| Failure::Input(format!("line {}: {error}", number + 1));
        let kind: Kind = serde_json::from_str(&line).map_err(invalid)?;
        if kind.event == "part" {
            parts.push(serde_json::from_str::<Part>(&line).map_err(invalid)?);
        }
    }
    let merged = if arguments.in_turn { Part::in_turn(parts) } else { Part::merge(parts) };
    let summary = merged.map_err(|unfit| Failure::Input(unfit.to_string()))?;
    emit(&Event::Summary(&summary))?;
    Ok(ExitCode::SUCCESS)
}
