//! Opens connections. Unlike the manager of deadpool-sqlite, this one sends no `SELECT` of its own before each use.

use std::path::{Path, PathBuf};

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use deadpool_sync::SyncWrapper;
use rusqlite::{Connection, OpenFlags};

/// The same in every stack, because drivers are compiled with different defaults.
const PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0";

pub struct Manager {
    pub path: PathBuf,
}

impl managed::Manager for Manager {
    type Type = SyncWrapper<Connection>;
    type Error = rusqlite::Error;

    async fn create(&self) -> rusqlite::Result<Self::Type> {
        let path = self.path.clone();
        SyncWrapper::new(Runtime::Tokio1, move || connect(&path)).await
    }

    async fn recycle(
        &self,
        connection: &mut Self::Type,
        _: &Metrics,
    ) -> RecycleResult<Self::Error> {
        if connection.is_mutex_poisoned() {
            return Err(RecycleError::message("a query panicked"));
        }
        Ok(())
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch(PRAGMAS)?;
    Ok(connection)
}
