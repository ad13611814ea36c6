//! The workload random-item.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Json, Router, routing::get};

use super::failure::Failure;
use crate::model::Item;

/// Reads the table items.
pub trait ItemStore: Send + Sync + 'static {
    fn random_item(&self) -> impl Future<Output = anyhow::Result<Option<Item>>> + Send;
    fn item_by_uuid(
        &self,
        uuid: String,
    ) -> impl Future<Output = anyhow::Result<Option<Item>>> + Send;
}

pub fn routes<S: ItemStore>(store: Arc<S>) -> Router {
    Router::new()
        .route("/items/random", get(random_item::<S>))
        .route("/items/{uuid}", get(item_by_uuid::<S>))
        .with_state(store)
}

async fn random_item<S: ItemStore>(State(store): State<Arc<S>>) -> Result<Json<Item>, Failure> {
    answer(store.random_item().await)
}

async fn item_by_uuid<S: ItemStore>(
    State(store): State<Arc<S>>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Json<Item>, Failure> {
    let Path(uuid) = path?;
    answer(store.item_by_uuid(uuid).await)
}

fn answer(found: anyhow::Result<Option<Item>>) -> Result<Json<Item>, Failure> {
    found?.map(Json).ok_or(Failure::NOT_FOUND)
}
