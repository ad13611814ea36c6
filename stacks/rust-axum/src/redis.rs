//! Redis, as a cache.

use std::time::Duration;

use ::redis::aio::ConnectionManager;
use ::redis::io::tcp::TcpSettings;
use ::redis::{AsyncTypedCommands, Client, IntoConnectionInfo};
use anyhow::Context;
use tokio::sync::OnceCell;

use crate::api::health::Service;
use crate::api::pages::Cache;

/// One connection, which is made when it is first needed, and again after it was lost. Commands are sent without
/// waiting for the answers to earlier ones.
pub struct Redis {
    client: Client,
    connection: OnceCell<ConnectionManager>,
}

impl Redis {
    /// Takes redis://:PASSWORD@HOST:PORT/0.
    pub fn open(url: &str) -> anyhow::Result<Self> {
        let address = url
            .into_connection_info()
            .ok()
            .context("it must be redis://:PASSWORD@HOST:PORT/0")?;
        let settings = TcpSettings::default().set_nodelay(true);
        Ok(Self {
            client: Client::open(address.set_tcp_settings(settings))?,
            connection: OnceCell::new(),
        })
    }

    async fn connection(&self) -> anyhow::Result<ConnectionManager> {
        let connect = || self.client.get_connection_manager();
        Ok(self.connection.get_or_try_init(connect).await?.clone())
    }
}

impl Service for Redis {
    async fn ping(&self) -> anyhow::Result<()> {
        self.connection().await?.ping().await?;
        Ok(())
    }
}

impl Cache for Redis {
    async fn get(&self, key: &str) -> anyhow::Result<Option<String>> {
        Ok(self.connection().await?.get(key).await?)
    }

    async fn set(&self, key: &str, value: &str, life: Duration) -> anyhow::Result<()> {
        let mut connection = self.connection().await?;
        Ok(connection.set_ex(key, value, life.as_secs()).await?)
    }
}
