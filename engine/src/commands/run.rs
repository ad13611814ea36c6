//! `run`: offers load as a plan says.

use std::io::Read;
use std::process::ExitCode;

use fairtrial_engine::coordinator::{RowsRanOut, Run};
use fairtrial_engine::hold::Hold;
use fairtrial_engine::parent::{PARENT_SIGNAL, ParentWatch};
use fairtrial_engine::plan::Plan;
use fairtrial_engine::signals::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, Signals};

use lexopt::{Arg, Parser};

use super::{Failure, Wrong, other};

pub const HELP: &str = "\
Offers load as the plan on standard input says, verifies answers, prints events.

fairtrial-engine run [--die-with-parent] [--hold] < PLAN

  --die-with-parent  end the run when the process that started it dies
  --hold             the plan is one line; say `ready` when all is prepared, and begin when the next line says
                     `go`, or at the time that `go SECONDS` names (since 1970)";

pub struct Arguments {
    die_with_parent: bool,
    hold: bool,
}

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        let (mut die_with_parent, mut hold) = (false, false);
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("die-with-parent") => die_with_parent = true,
                Arg::Long("hold") => hold = true,
                argument => return Err(other(argument)),
            }
        }
        Ok(Arguments { die_with_parent, hold })
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // Interrupts are caught after the plan has come, so that Ctrl-C ends a wait for it.
    let mut signals = Signals::catch(&[PARENT_SIGNAL])?;
    let parent = if arguments.die_with_parent { Some(ParentWatch::begin()?) } else { None };
    let mut hold = arguments.hold.then(Hold::default);
    let json = match &mut hold {
        Some(hold) => hold.read_line()?,
        None => {
            let mut json = Vec::new();
            std::io::stdin().lock().read_to_end(&mut json)?;
            json
        }
    };
    signals.also_catch(&[SIGINT, SIGTERM])?;
    let invalid = |error| Failure::Input(format!("{error}"));
    let run = Plan::from_json(&json).and_then(Run::prepare).map_err(invalid)?;
    if run.halts() {
        signals.also_catch(&[SIGUSR1, SIGUSR2])?;
    }
    if parent.as_ref().is_some_and(ParentWatch::is_gone) {
        return Err(Failure::Other("the process that started this one has died".to_owned()));
    }
    run.run(&mut signals, parent.as_ref(), hold).map_err(|error| match error.downcast::<RowsRanOut>() {
        Ok(ran_out) => Failure::RanOut(ran_out.to_string()),
        Err(error) => Failure::from(error),
    })?;
    Ok(ExitCode::SUCCESS)
}
