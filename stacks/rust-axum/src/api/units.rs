//! The workload transaction-mix: units of work of five weights.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Json, Router, routing::post};
use serde::Serialize;

use super::failure::Failure;

/// So many statements of each kind, in this order.
pub struct Unit {
    pub counts: u32,
    pub label_counts: u32,
    pub inserts: u32,
    pub updates: u32,
    pub transaction: Transaction,
}

/// What a unit runs in.
pub enum Transaction {
    None,
    RolledBack,
    Committed,
}

/// Runs units of work on the table units.
pub trait UnitStore: Send + Sync + 'static {
    /// Runs its statements on one connection, one after the other, and gives the first count.
    fn run(&self, unit: &'static Unit) -> impl Future<Output = anyhow::Result<i64>> + Send;
}

const VERY_LIGHT: Unit = Unit {
    counts: 1,
    label_counts: 0,
    inserts: 0,
    updates: 0,
    transaction: Transaction::None,
};
const LIGHT: Unit = Unit {
    inserts: 1,
    ..VERY_LIGHT
};
const MODERATE: Unit = Unit {
    counts: 2,
    transaction: Transaction::RolledBack,
    ..LIGHT
};
const HEAVY: Unit = Unit {
    counts: 3,
    updates: 1,
    transaction: Transaction::Committed,
    ..LIGHT
};
const VERY_HEAVY: Unit = Unit {
    label_counts: 1,
    updates: 2,
    ..HEAVY
};

#[derive(Serialize)]
struct Answer {
    units: i64,
}

pub fn routes<S: UnitStore>(store: Arc<S>) -> Router {
    Router::new()
        .route("/units/{weight}", post(unit::<S>))
        .with_state(store)
}

async fn unit<S: UnitStore>(
    State(store): State<Arc<S>>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Json<Answer>, Failure> {
    let Path(weight) = path?;
    let unit: &Unit = match weight.as_str() {
        "very-light" => &VERY_LIGHT,
        "light" => &LIGHT,
        "moderate" => &MODERATE,
        "heavy" => &HEAVY,
        "very-heavy" => &VERY_HEAVY,
        _ => return Err(Failure::NOT_FOUND),
    };
    let units = store.run(unit).await?;
    Ok(Json(Answer { units }))
}
