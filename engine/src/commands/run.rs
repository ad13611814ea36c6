//! `run`: offers load as a plan says.

use std::io::Read;
use std::process::ExitCode;

use fairtrial_engine::coordinator::{Between, RowsRanOut, Run};
use fairtrial_engine::hold::Hold;
use fairtrial_engine::parent::{PARENT_SIGNAL, ParentWatch};
use fairtrial_engine::plan::{InvalidPlan, Plan};
use fairtrial_engine::signals::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, Signals};

use lexopt::{Arg, Parser};

use super::{Failure, Wrong, other};

pub const HELP: &str = "\
Offers load as the plan on standard input says, verifies answers, prints events.

fairtrial-engine run [--die-with-parent] [--hold | --in-turn] < PLAN

  --die-with-parent  end the run when the process that started it dies
  --hold             the plan is one line; say `ready` when all is prepared, and begin when the next line says
                     `go`, or at the time that `go SECONDS` names (since 1970)
  --in-turn          a line is a plan: carry out one after the other, with the connections that the one before has left,
                     until there is no further one";

pub struct Arguments {
    die_with_parent: bool,
    hold: bool,
    in_turn: bool,
}

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        let (mut die_with_parent, mut hold, mut in_turn) = (false, false, false);
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("die-with-parent") => die_with_parent = true,
                Arg::Long("hold") => hold = true,
                Arg::Long("in-turn") => in_turn = true,
                argument => return Err(other(argument)),
            }
        }
        if hold && in_turn {
            return Err(Wrong::Argument(
                "--hold and --in-turn: a plan in turn begins when it comes".to_owned(),
            ));
        }
        Ok(Arguments { die_with_parent, hold, in_turn })
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // Interrupts are caught after the plan has come, so that Ctrl-C ends a wait for it.
    let mut signals = Signals::catch(&[PARENT_SIGNAL])?;
    let parent = if arguments.die_with_parent { Some(ParentWatch::begin()?) } else { None };
    if arguments.in_turn {
        return run_in_turn(&mut signals, parent.as_ref());
    }
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
    let plan = Plan::from_json(&json).map_err(invalid)?;
    if plan.halts {
        signals.also_catch(&[SIGUSR1, SIGUSR2])?;
    }
    carry_out(plan, &mut signals, parent.as_ref(), hold, None)?;
    Ok(ExitCode::SUCCESS)
}

/// Each line of standard input is a plan, which begins as soon as it is there; its end is that of the engine.
fn run_in_turn(signals: &mut Signals, parent: Option<&ParentWatch>) -> Result<ExitCode, Failure> {
    signals.also_catch(&[SIGINT, SIGTERM])?;
    let (mut input, mut between) = (Hold::default(), Between::default());
    while input.await_input(signals, parent, None)?
        && let Some(json) = input.next_line()?
    {
        let mut plan = Plan::from_json(&json).map_err(invalid)?;
        if plan.halts {
            return Err(Failure::Input("plan: halts: not of plans in turn".to_owned()));
        }
        between.find_for(&mut plan);
        if !carry_out(plan, signals, parent, None, Some(&mut between))? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// False if it was ended early.
fn carry_out(
    plan: Plan,
    signals: &mut Signals,
    parent: Option<&ParentWatch>,
    hold: Option<Hold>,
    between: Option<&mut Between>,
) -> Result<bool, Failure> {
    let run = Run::prepare(plan).map_err(invalid)?;
    if parent.is_some_and(ParentWatch::is_gone) {
        return Err(Failure::Other("the process that started this one has died".to_owned()));
    }
    run.run(signals, parent, hold, between).map_err(|error| match error.downcast::<RowsRanOut>() {
        Ok(ran_out) => Failure::RanOut(ran_out.to_string()),
        Err(error) => Failure::from(error),
    })
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn invalid(error: InvalidPlan) -> Failure {
    Failure::Input(format!("{error}"))
}
