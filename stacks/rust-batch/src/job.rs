//! The job, and what is the same for threads and tasks: the token's steps, and the lines of the task barrier.

use std::env;

use anyhow::{Context, bail, ensure};

pub struct Job {
    pub tasks: usize,
    /// How often a token is handed on; none if tasks are only made.
    pub switches: Option<u32>,
    /// The path of the task barrier's socket.
    pub gathering: String,
}

/// The token, with the steps that are left.
pub struct Message {
    pub token: u32,
    pub left: u32,
}

impl Job {
    pub fn from_environment() -> anyhow::Result<Self> {
        let switches = match text("JOB")?.as_str() {
            "task-creation" => None,
            "task-switching" => Some(number("SWITCHES")?),
            other => bail!("there is no job {other:?}"),
        };
        Ok(Self {
            tasks: number("TASKS")? as usize,
            switches,
            gathering: text("GATHERING")?,
        })
    }
}

impl Message {
    /// What the task of this number makes of it.
    pub fn step(self, number: usize) -> Self {
        let mixed = (self.token ^ (self.token >> 15)).wrapping_mul(0x2C1B_3C6D);
        Self {
            token: mixed.wrapping_add(number as u32),
            left: self.left - 1,
        }
    }
}

/// The token in a line of the barrier's, which is empty if the barrier has closed the connection.
pub fn token(line: &str) -> anyhow::Result<u32> {
    Ok(assert_all_were_there(line)?.trim_end().parse()?)
}

pub fn assert_all_were_there(line: &str) -> anyhow::Result<&str> {
    ensure!(
        !line.is_empty(),
        "the gathering ended before all were there"
    );
    Ok(line)
}

fn text(name: &str) -> anyhow::Result<String> {
    env::var(name).context(name.to_owned())
}

fn number(name: &str) -> anyhow::Result<u32> {
    text(name)?.parse::<u32>().context(name.to_owned())
}
