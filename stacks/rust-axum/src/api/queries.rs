//! The workloads query-mix, a short query or one during which the database sleeps, and query-chain, a long one and then
//! short ones.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Json, Router, routing::get};
use serde::Serialize;

use super::failure::Failure;

const LONGEST_SLEEP_MILLISECONDS: u64 = 10_000;
const MOST_SHORT_QUERIES: u32 = 1_000;

/// Asks the database without a table.
pub trait QueryStore: Send + Sync + 'static {
    fn one(&self) -> impl Future<Output = anyhow::Result<i64>> + Send;
    /// Ends when the database has slept, or worked.
    fn sleep(&self, length: Duration) -> impl Future<Output = anyhow::Result<()>> + Send;
}

#[derive(Serialize)]
struct Short {
    value: i64,
}

#[derive(Serialize)]
struct Long {
    slept: u64,
}

#[derive(Serialize)]
struct Chain {
    slept: u64,
    sum: i64,
}

pub fn routes<S: QueryStore>(store: Arc<S>) -> Router {
    Router::new()
        .route("/queries/short", get(short::<S>))
        .route("/queries/long/{milliseconds}", get(long::<S>))
        .route("/queries/chain/{milliseconds}/{short}", get(chain::<S>))
        .with_state(store)
}

async fn short<S: QueryStore>(State(store): State<Arc<S>>) -> Result<Json<Short>, Failure> {
    let value = store.one().await?;
    Ok(Json(Short { value }))
}

async fn long<S: QueryStore>(
    State(store): State<Arc<S>>,
    Path(milliseconds): Path<u64>,
) -> Result<Json<Long>, Failure> {
    sleep(&*store, milliseconds).await?;
    Ok(Json(Long {
        slept: milliseconds,
    }))
}

async fn chain<S: QueryStore>(
    State(store): State<Arc<S>>,
    Path((milliseconds, short)): Path<(u64, u32)>,
) -> Result<Json<Chain>, Failure> {
    if short > MOST_SHORT_QUERIES {
        return Err(Failure::Refused(StatusCode::BAD_REQUEST));
    }
    sleep(&*store, milliseconds).await?;
    let mut sum = 0;
    for _ in 0..short {
        sum += store.one().await?;
    }
    Ok(Json(Chain {
        slept: milliseconds,
        sum,
    }))
}

async fn sleep<S: QueryStore>(store: &S, milliseconds: u64) -> Result<(), Failure> {
    if !(1..=LONGEST_SLEEP_MILLISECONDS).contains(&milliseconds) {
        return Err(Failure::Refused(StatusCode::BAD_REQUEST));
    }
    store.sleep(Duration::from_millis(milliseconds)).await?;
    Ok(())
}
