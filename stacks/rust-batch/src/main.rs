//! The stack rust-batch: does the job that the environment names, and ends.

mod job;
mod threads;
mod tokio_tasks;

use std::env;
use std::process::ExitCode;

use anyhow::bail;

use job::Job;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Threads may still wait for the end of a job that failed: they end with the process.
        Err(error) => {
            eprintln!("rust-batch: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let job = Job::from_environment()?;
    match env::var("TASK").as_deref() {
        Err(_) | Ok("thread") => threads::run(&job),
        Ok("tokio") => tokio_tasks::run(&job),
        Ok(other) => bail!("TASK must be thread or tokio, not {other:?}"),
    }
}
