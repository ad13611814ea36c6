//! What the environment says, with the defaults for what it does not.

use std::env;
use std::str::FromStr;

use anyhow::{bail, ensure};

pub struct Settings {
    pub host: String,
    pub port: u16,
    pub database_url: String,
    /// Threads of the runtime; without it, tokio takes one for each processor.
    pub workers: Option<usize>,
    /// Threads for queries.
    pub max_threads: usize,
    pub db_pool: usize,
}

impl Settings {
    pub fn from_environment() -> anyhow::Result<Self> {
        let workers = positive("WEB_CONCURRENCY")?;
        let most = positive("MAX_CONCURRENCY")?.unwrap_or(usize::MAX);
        // They are given for one of WEB_CONCURRENCY processes, and this is one process on all processors.
        let of_all = |number: Option<usize>| {
            number
                .unwrap_or(16)
                .saturating_mul(workers.unwrap_or(1))
                .min(most)
        };
        Ok(Self {
            host: text("HOST").unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: number("PORT")?.unwrap_or(8080),
            database_url: text("DATABASE_URL").unwrap_or_default(),
            workers,
            max_threads: of_all(positive("MAX_THREADS")?),
            db_pool: of_all(positive("DB_POOL")?),
        })
    }
}

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn number<T: FromStr>(name: &str) -> anyhow::Result<Option<T>> {
    let Some(value) = text(name) else {
        return Ok(None);
    };
    match value.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => bail!("{name} must be a whole number, not {value:?}"),
    }
}

fn positive(name: &str) -> anyhow::Result<Option<usize>> {
    let value = number(name)?;
    ensure!(value != Some(0), "{name} must be a whole number from 1");
    Ok(value)
}
