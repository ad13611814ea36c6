//! PostgreSQL, by tokio-postgres and the pool deadpool-postgres, which prepares each query once on each connection.

mod pages;
mod reads;
mod units;

use std::env;
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Context;
use deadpool_postgres::{Client, GenericClient, Manager, ManagerConfig, Pool, RecyclingMethod};
use tokio::sync::OnceCell;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, NoTls, Row};

use super::flat;
use crate::api::health::Service;
use crate::api::queries::QueryStore;
use crate::model::Ids;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

static SLEEP: LazyLock<String> = LazyLock::new(|| {
    let function = env::var("LONG_FUNCTION").unwrap_or_else(|_| "pg_sleep".into());
    format!("SELECT {function}($1)")
});

pub struct Postgresql {
    pool: Pool,
    ids: OnceCell<Ids>,
}

impl Postgresql {
    /// Takes postgresql://USER:PASSWORD@HOST:PORT/DATABASE.
    pub fn open(url: &str, connections: usize) -> anyhow::Result<Self> {
        let mut config: Config = url
            .parse()
            .ok()
            .context("it must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE")?;
        config.connect_timeout(CONNECT_TIMEOUT);
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(config, NoTls, recycling);
        let pool = Pool::builder(manager).max_size(connections).build()?;
        Ok(Self {
            pool,
            ids: OnceCell::new(),
        })
    }

    async fn client(&self) -> anyhow::Result<Client> {
        self.pool.get().await.map_err(flat)
    }

    async fn one(&self, query: &str, params: Params<'_>) -> anyhow::Result<Row> {
        one(&self.client().await?, query, params).await
    }

    async fn optional(&self, query: &str, params: Params<'_>) -> anyhow::Result<Option<Row>> {
        let client = self.client().await?;
        let statement = client.prepare_cached(query).await.map_err(flat)?;
        client.query_opt(&statement, params).await.map_err(flat)
    }

    async fn all(&self, query: &str, params: Params<'_>) -> anyhow::Result<Vec<Row>> {
        let client = self.client().await?;
        let statement = client.prepare_cached(query).await.map_err(flat)?;
        client.query(&statement, params).await.map_err(flat)
    }
}

/// The only row of a query, on a connection or in a transaction.
async fn one(client: &impl GenericClient, query: &str, params: Params<'_>) -> anyhow::Result<Row> {
    let statement = client.prepare_cached(query).await.map_err(flat)?;
    client.query_one(&statement, params).await.map_err(flat)
}

impl Service for Postgresql {
    async fn ping(&self) -> anyhow::Result<()> {
        self.client().await?.simple_query("").await.map_err(flat)?;
        Ok(())
    }
}

impl QueryStore for Postgresql {
    async fn one(&self) -> anyhow::Result<i64> {
        let row = Self::one(self, "SELECT 1", &[]).await?;
        let value: i32 = row.try_get(0)?;
        Ok(value.into())
    }

    async fn sleep(&self, length: Duration) -> anyhow::Result<()> {
        Self::one(self, &SLEEP, &[&length.as_secs_f64()]).await?;
        Ok(())
    }
}
