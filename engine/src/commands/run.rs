//! `run`: offers load as a plan says.

use std::io::Read;
use std::process::ExitCode;

use fairtrial_engine::coordinator::{RowsRanOut, Run};
use fairtrial_engine::parent::{PARENT_SIGNAL, ParentWatch};
use fairtrial_engine::plan::Plan;
use fairtrial_engine::signals::{SIGINT, SIGTERM, Signals};

use super::Failure;

/// Offers load as the plan on standard input says, verifies answers, prints events.
#[derive(clap::Args)]
pub struct Arguments {
    /// End the run when the process that started it dies.
    #[arg(long)]
    die_with_parent: bool,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // Interrupts are caught after the plan has come, so that Ctrl-C ends a wait for it.
    let mut signals = Signals::catch(&[PARENT_SIGNAL])?;
    let parent = if arguments.die_with_parent { Some(ParentWatch::begin()?) } else { None };
    let mut json = Vec::new();
    std::io::stdin().lock().read_to_end(&mut json)?;
    signals.also_catch(&[SIGINT, SIGTERM])?;
    let invalid = |error| Failure::Input(format!("{error}"));
    let run = Plan::from_json(&json).and_then(Run::prepare).map_err(invalid)?;
    if parent.as_ref().is_some_and(ParentWatch::is_gone) {
        return Err(Failure::Other("the process that started this one has died".to_owned()));
    }
    run.run(&mut signals, parent.as_ref()).map_err(|error| match error.downcast::<RowsRanOut>() {
        Ok(ran_out) => Failure::RanOut(ran_out.to_string()),
        Err(error) => Failure::from(error),
    })?;
    Ok(ExitCode::SUCCESS)
}
