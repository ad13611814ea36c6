//! The subcommands: arguments in, library called, exit status out.

pub mod dataset;
pub mod idle;
pub mod merge;
pub mod proxy;
pub mod run;
pub mod target;

use std::process::ExitCode;
use std::str::FromStr;

use lexopt::{Arg, Parser, ValueExt};

/// Why arguments are not carried out.
pub enum Wrong {
    /// They ask for help.
    HelpAsked,
    /// They are wrong; the text says how.
    Argument(String),
}

impl From<lexopt::Error> for Wrong {
    fn from(error: lexopt::Error) -> Wrong {
        Wrong::Argument(error.to_string())
    }
}

/// What an argument that no command knows means.
pub fn other(argument: Arg<'_>) -> Wrong {
    match argument {
        Arg::Long("help") | Arg::Short('h') => Wrong::HelpAsked,
        argument => argument.unexpected().into(),
    }
}

/// The value of an option, as `parse` reads it.
pub fn value<T, E: ToString>(
    arguments: &mut Parser,
    option: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, Wrong> {
    let text = arguments.value()?.string()?;
    parse(&text).map_err(|error| Wrong::Argument(format!("--{option} {text}: {}", error.to_string())))
}

/// The value of an option that is a list with commas.
pub fn list<T: FromStr<Err: ToString>>(arguments: &mut Parser, option: &str) -> Result<Vec<T>, Wrong> {
    value(arguments, option, |text| text.split(',').map(str::parse).collect::<Result<_, _>>())
}

/// Why a command has no result. Each is one line on standard error.
pub enum Failure {
    /// A wrong plan or argument: exit status 2.
    Input(String),
    /// Rows that are taken once ran out: exit status 3.
    RanOut(String),
    /// Anything else: exit status 1.
    Other(String),
}

impl Failure {
    /// Writes the line and gives the exit status.
    pub fn report(self) -> ExitCode {
        let (text, status) = match self {
            Failure::Input(text) => (text, 2),
            Failure::RanOut(text) => (text, 3),
            Failure::Other(text) => (text, 1),
        };
        eprintln!("fairtrial-engine: {}", text.replace('\n', " "));
        ExitCode::from(status)
    }
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Failure {
        match wrong {
            Wrong::HelpAsked => Failure::Input("--help stands alone".to_owned()),
            Wrong::Argument(text) => Failure::Input(text),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Other(format!("{error:#}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Other(error.to_string())
    }
}
