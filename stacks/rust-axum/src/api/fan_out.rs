//! The workload fan-out: one call to the upstream in each request, over connections that are kept.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::{Json, Router, routing::get};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::failure::Failure;

const TIME_LIMIT: Duration = Duration::from_secs(10);

struct Upstream {
    client: Client<HttpConnector, Empty<Bytes>>,
    address: Uri,
    /// The client bounds only the idle connections.
    slots: Semaphore,
}

#[derive(Serialize)]
struct Answer {
    status: u16,
    bytes: usize,
}

pub fn routes(address: &str, connections: usize) -> anyhow::Result<Router> {
    let upstream = Upstream::open(address, connections)?;
    Ok(Router::new()
        .route("/fan-out", get(fan_out))
        .with_state(Arc::new(upstream)))
}

async fn fan_out(State(upstream): State<Arc<Upstream>>) -> Result<Json<Answer>, Failure> {
    match upstream.call().await.context("upstream") {
        Ok(answer) => Ok(Json(answer)),
        Err(error) => Err(Failure::Failed(StatusCode::BAD_GATEWAY, error)),
    }
}

impl Upstream {
    fn open(address: &str, connections: usize) -> anyhow::Result<Self> {
        let address: Uri = address.parse()?;
        ensure!(
            address.scheme_str() == Some("http"),
            "it must be http://HOST:PORT/"
        );
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(connections)
            .build(connector);
        Ok(Self {
            client,
            address,
            slots: Semaphore::new(connections),
        })
    }

    async fn call(&self) -> anyhow::Result<Answer> {
        let _slot = self.slots.acquire().await?;
        timeout(TIME_LIMIT, async {
            let response = self.client.get(self.address.clone()).await?;
            let status = response.status().as_u16();
            let mut body = response.into_body();
            let mut bytes = 0;
            // Read to the end, or the connection cannot be used again.
            while let Some(frame) = body.frame().await {
                bytes += frame?.data_ref().map_or(0, Bytes::len);
            }
            Ok(Answer { status, bytes })
        })
        .await
        .context("no answer in time")?
    }
}
