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
        Ok(Self {
            host: text("HOST").unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: number("PORT")?.unwrap_or(8080),
            database_url: text("DATABASE_URL").unwrap_or_default(),
            workers: positive("WEB_CONCURRENCY")?,
            max_threads: positive("MAX_THREADS")?.unwrap_or(16),
            db_pool: positive("DB_POOL")?.unwrap_or(16),
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
