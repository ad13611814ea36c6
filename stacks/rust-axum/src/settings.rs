//! What the environment says, with the defaults for what it does not.

use std::env;
use std::str::FromStr;

use anyhow::{bail, ensure};

pub struct Settings {
    pub host: String,
    pub port: u16,
    pub database_url: Option<String>,
    pub cache_url: Option<String>,
    pub upstream_url: Option<String>,
    /// Threads of the runtime; without it, tokio takes one for each processor.
    pub workers: Option<usize>,
    /// Most requests that are worked on at a time where they call out: threads for queries of SQLite, for example.
    pub max_concurrency: usize,
    /// Connections to the database.
    pub db_pool: usize,
    /// Most calls to the upstream at a time.
    pub upstream_pool: usize,
    pub blocking_work: BlockingWork,
}

/// Where runs what would hold up a worker thread: queries of SQLite, which has no asynchronous interface, and matches of
/// articles, which compute for long.
#[derive(Clone, Copy)]
pub enum BlockingWork {
    /// On tokio's pool of blocking threads: there and back each time.
    BlockingPool,
    /// On the worker thread, which hands its other tasks to another thread first.
    InPlace,
    /// On the worker thread, whose other tasks wait.
    Inline,
}

impl Settings {
    pub fn from_environment() -> anyhow::Result<Self> {
        let workers = positive("WEB_CONCURRENCY")?;
        // Threads and connections are those of one process; this one does the work of WEB_CONCURRENCY of them.
        let processes = workers.unwrap_or(1);
        let max_threads = positive("MAX_THREADS")?.unwrap_or(16);
        let max_concurrency = positive("MAX_CONCURRENCY")?.unwrap_or(processes * max_threads);
        let db_pool = positive("DB_POOL")?.unwrap_or(16);
        let upstream_pool = positive("UPSTREAM_POOL")?.unwrap_or(16);
        Ok(Self {
            host: text("HOST").unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: number("PORT")?.unwrap_or(8080),
            database_url: text("DATABASE_URL"),
            cache_url: text("CACHE_URL"),
            upstream_url: text("UPSTREAM_URL"),
            workers,
            max_concurrency,
            db_pool: max_concurrency.min(processes * db_pool),
            upstream_pool: max_concurrency.min(processes * upstream_pool),
            blocking_work: blocking_work()?,
        })
    }
}

fn blocking_work() -> anyhow::Result<BlockingWork> {
    match text("BLOCKING_WORK").as_deref() {
        None | Some("blocking-pool") => Ok(BlockingWork::BlockingPool),
        Some("in-place") => Ok(BlockingWork::InPlace),
        Some("inline") => Ok(BlockingWork::Inline),
        Some(other) => {
            bail!("BLOCKING_WORK must be blocking-pool, in-place or inline, not {other:?}")
        }
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
