//! The database: a pool of connections, whose queries run on tokio's blocking threads.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error};
use deadpool::Runtime;
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use deadpool_sync::SyncWrapper;
use rand::Rng;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};
use serde::Serialize;

const PICK: &str =
    "SELECT id, uuid, name, hash_code, created_at FROM items WHERE id >= ? ORDER BY id LIMIT 1";
const BY_UUID: &str = "SELECT id, uuid, name, hash_code, created_at FROM items WHERE uuid = ?";
/// Two selects, because min() and max() in one would scan the whole table.
const BOUNDS: &str = "SELECT (SELECT min(id) FROM items), (SELECT max(id) FROM items)";

/// The same in every stack, because drivers are compiled with different defaults.
const PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0";

const SQLITE_SCHEME: &str = "sqlite:///";

#[derive(Serialize)]
pub struct Item {
    id: i64,
    uuid: String,
    name: String,
    hash_code: String,
    created_at: String,
}

pub struct Store {
    pool: managed::Pool<Manager>,
    first: i64,
    last: i64,
}

impl Store {
    pub async fn open(database_url: &str, connections: usize) -> anyhow::Result<Self> {
        let path = sqlite_path(database_url)?;
        let pool = managed::Pool::builder(Manager { path: path.clone() })
            .max_size(connections)
            .build()?;
        let mut store = Self {
            pool,
            first: 0,
            last: 0,
        };
        let bounds: (Option<i64>, Option<i64>) = store
            .query(|connection| {
                connection.query_row(BOUNDS, [], |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .await
            .with_context(|| path.display().to_string())?;
        (store.first, store.last) = bounds
            .0
            .zip(bounds.1)
            .with_context(|| format!("{}: the table items is empty", path.display()))?;
        Ok(store)
    }

    pub async fn random_item(&self) -> anyhow::Result<Option<Item>> {
        let id = rand::rng().random_range(self.first..=self.last);
        self.query(move |connection| one(connection, PICK, [id]))
            .await
    }

    pub async fn item_by_uuid(&self, uuid: String) -> anyhow::Result<Option<Item>> {
        self.query(move |connection| one(connection, BY_UUID, [uuid]))
            .await
    }

    async fn query<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let connection = self.pool.get().await.map_err(flat)?;
        let result = connection.interact(run).await.map_err(flat)?;
        result.map_err(flat)
    }
}

fn one(
    connection: &Connection,
    query: &str,
    params: impl Params,
) -> rusqlite::Result<Option<Item>> {
    connection
        .prepare_cached(query)?
        .query_row(params, to_item)
        .optional()
}

fn to_item(row: &Row) -> rusqlite::Result<Item> {
    Ok(Item {
        id: row.get(0)?,
        uuid: row.get(1)?,
        name: row.get(2)?,
        hash_code: row.get(3)?,
        created_at: row.get(4)?,
    })
}

/// Drops the sources of an error whose message holds theirs already.
fn flat(error: impl Display) -> Error {
    Error::msg(error.to_string())
}

/// Unlike the manager of deadpool-sqlite, it sends no `SELECT` of its own before each use of a connection.
struct Manager {
    path: PathBuf,
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

fn sqlite_path(database_url: &str) -> anyhow::Result<PathBuf> {
    database_url
        .strip_prefix(SQLITE_SCHEME)
        .filter(|path| path.starts_with('/'))
        .map(PathBuf::from)
        .with_context(|| {
            format!("DATABASE_URL must be sqlite:////absolute/path.db, not {database_url:?}")
        })
}
