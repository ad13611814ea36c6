//! MariaDB, by mysql_async and its own pool. Each query is prepared once on each connection.

mod pages;
mod reads;
mod units;

use std::env;
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, ensure};
use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, Opts, OptsBuilder, Params, Pool, PoolConstraints, PoolOpts};
use tokio::sync::OnceCell;

use super::flat;
use crate::api::health::Service;
use crate::api::queries::QueryStore;
use crate::model::Ids;

static SLEEP: LazyLock<String> = LazyLock::new(|| {
    let function = env::var("LONG_FUNCTION").unwrap_or_else(|_| "SLEEP".into());
    format!("SELECT {function}(?)")
});

pub struct Mariadb {
    pool: Pool,
    ids: OnceCell<Ids>,
}

impl Mariadb {
    /// Takes mysql://USER:PASSWORD@HOST:PORT/DATABASE.
    pub fn open(url: &str, connections: usize) -> anyhow::Result<Self> {
        let opts = Opts::from_url(url)
            .ok()
            .context("it must be mysql://USER:PASSWORD@HOST:PORT/DATABASE")?;
        // All connections are kept. To reset one on its way back would drop the statements that it has prepared.
        let constraints = PoolConstraints::new(connections, connections)
            .context("the pool needs a connection")?;
        let pool_opts = PoolOpts::new()
            .with_constraints(constraints)
            .with_reset_connection(false);
        let opts = OptsBuilder::from_opts(opts)
            .pool_opts(pool_opts)
            .prefer_socket(false); // TCP, as the URL says
        Ok(Self {
            pool: Pool::new(opts),
            ids: OnceCell::new(),
        })
    }

    async fn connection(&self) -> anyhow::Result<Conn> {
        self.pool.get_conn().await.map_err(flat)
    }

    async fn first<T>(
        &self,
        query: &str,
        params: impl Into<Params> + Send,
    ) -> anyhow::Result<Option<T>>
    where
        T: FromRow + Send + 'static,
    {
        let mut connection = self.connection().await?;
        connection.exec_first(query, params).await.map_err(flat)
    }

    async fn all<T>(&self, query: &str, params: impl Into<Params> + Send) -> anyhow::Result<Vec<T>>
    where
        T: FromRow + Send + 'static,
    {
        let mut connection = self.connection().await?;
        connection.exec(query, params).await.map_err(flat)
    }
}

impl Service for Mariadb {
    async fn ping(&self) -> anyhow::Result<()> {
        self.connection().await?.ping().await.map_err(flat)
    }
}

impl QueryStore for Mariadb {
    async fn one(&self) -> anyhow::Result<i64> {
        self.first("SELECT 1", ()).await?.context("no row")
    }

    async fn sleep(&self, length: Duration) -> anyhow::Result<()> {
        let interrupted: Option<i64> = self.first(&SLEEP, (length.as_secs_f64(),)).await?;
        ensure!(interrupted == Some(0), "the sleep was interrupted");
        Ok(())
    }
}
