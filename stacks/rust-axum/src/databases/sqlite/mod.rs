//! SQLite: a pool of read-only connections.

mod manager;
mod reads;

use std::path::PathBuf;

use anyhow::Context;
use deadpool::managed;
use deadpool_sync::SyncWrapper;
use rusqlite::Connection;
use tokio::sync::OnceCell;
use tokio::task::block_in_place;

use super::flat;
use crate::api::health::Service;
use crate::model::Ids;
use crate::settings::BlockingWork;
use manager::Manager;

const SCHEME: &str = "sqlite:///";

pub struct Sqlite {
    pool: managed::Pool<Manager>,
    work: BlockingWork,
    ids: OnceCell<Ids>,
}

impl Sqlite {
    /// Takes sqlite:////absolute/path.db.
    pub fn open(url: &str, connections: usize, work: BlockingWork) -> anyhow::Result<Self> {
        let path = url
            .strip_prefix(SCHEME)
            .filter(|path| path.starts_with('/'))
            .map(PathBuf::from)
            .context("it must be sqlite:////absolute/path.db")?;
        let pool = managed::Pool::builder(Manager { path })
            .max_size(connections)
            .build()?;
        Ok(Self {
            pool,
            work,
            ids: OnceCell::new(),
        })
    }

    async fn query<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let connection = self.pool.get().await.map_err(flat)?;
        match self.work {
            BlockingWork::BlockingPool => connection.interact(run).await.map_err(flat)?,
            BlockingWork::InPlace => block_in_place(|| run_on(&connection, run))?,
            BlockingWork::Inline => run_on(&connection, run)?,
        }
        .map_err(flat)
    }
}

fn run_on<T>(
    connection: &SyncWrapper<Connection>,
    run: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
) -> anyhow::Result<rusqlite::Result<T>> {
    let mut connection = connection.lock().map_err(flat)?;
    Ok(run(&mut connection))
}

impl Service for Sqlite {
    async fn ping(&self) -> anyhow::Result<()> {
        self.query(|connection| connection.query_row("SELECT 1", [], |_| Ok(())))
            .await
    }
}
