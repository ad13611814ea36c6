//! Whether the services are there.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::extract::State;
use axum::http::StatusCode;
use axum::{Router, routing::get};
use tokio::time::timeout;

use super::failure::Failure;

const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks a service for a sign of life.
pub type Ping = Box<dyn Fn() -> Pinging + Send + Sync>;
type Pinging = Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send>>;

/// What can be pinged.
pub trait Service: Send + Sync + 'static {
    fn ping(&self) -> impl Future<Output = anyhow::Result<()>> + Send;
}

pub fn ping<S: Service>(service: Arc<S>) -> Ping {
    Box::new(move || {
        let service = service.clone();
        Box::pin(async move { service.ping().await })
    })
}

pub fn routes(pings: Vec<Ping>) -> Router {
    Router::new()
        .route("/health", get(health))
        .with_state(Arc::new(pings))
}

async fn health(State(pings): State<Arc<Vec<Ping>>>) -> Result<&'static str, Failure> {
    match answer(&pings).await {
        Ok(()) => Ok("ok"),
        Err(error) => Err(Failure::Failed(StatusCode::SERVICE_UNAVAILABLE, error)),
    }
}

async fn answer(pings: &[Ping]) -> anyhow::Result<()> {
    for ping in pings {
        timeout(PING_TIMEOUT, ping())
            .await
            .context("a service did not answer in time")??;
    }
    Ok(())
}
