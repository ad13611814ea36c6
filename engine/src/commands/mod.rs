//! The subcommands: arguments in, library called, exit status out.

pub mod dataset;
pub mod guard;
pub mod proxy;
pub mod run;
pub mod target;

use std::process::ExitCode;

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
