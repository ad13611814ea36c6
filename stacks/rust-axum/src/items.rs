//! The workload random-item.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing::get};

use crate::store::{Item, Store};

pub fn routes() -> Router<Arc<Store>> {
    Router::new()
        .route("/items/random", get(random_item))
        .route("/items/{uuid}", get(item_by_uuid))
}

async fn random_item(State(store): State<Arc<Store>>) -> Response {
    answer(store.random_item().await)
}

async fn item_by_uuid(
    State(store): State<Arc<Store>>,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    match path {
        Ok(Path(uuid)) => answer(store.item_by_uuid(uuid).await),
        Err(_) => StatusCode::NOT_FOUND.into_response(), // not UTF-8, hence nobody's uuid
    }
}

fn answer(found: anyhow::Result<Option<Item>>) -> Response {
    match found {
        Ok(Some(item)) => Json(item).into_response(),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            eprintln!("rust-axum: {error:#}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
