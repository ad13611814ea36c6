//! The workload several-items: rows by primary key, by one select each, one after the other.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Json, Router, routing::get};
use serde::Serialize;

use super::failure::Failure;

const MOST_SELECTS: usize = 100;

/// Reads the names in the table items.
pub trait NameStore: Send + Sync + 'static {
    fn item_name(&self, id: i64) -> impl Future<Output = anyhow::Result<Option<String>>> + Send;
}

#[derive(Serialize)]
struct NamedItem {
    id: i64,
    name: String,
}

pub fn routes<S: NameStore>(store: Arc<S>) -> Router {
    Router::new()
        .route("/items/several/{ids}", get(several_items::<S>))
        .with_state(store)
}

async fn several_items<S: NameStore>(
    State(store): State<Arc<S>>,
    Path(list): Path<String>,
) -> Result<Json<Vec<NamedItem>>, Failure> {
    let ids = ids_in(&list).ok_or(Failure::Refused(StatusCode::BAD_REQUEST))?;
    let mut items = Vec::with_capacity(ids.len());
    for id in ids {
        let name = store.item_name(id).await?.ok_or(Failure::NOT_FOUND)?;
        items.push(NamedItem { id, name });
    }
    Ok(Json(items))
}

fn ids_in(list: &str) -> Option<Vec<i64>> {
    let ids: Vec<i64> = list
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    (ids.len() <= MOST_SELECTS).then_some(ids)
}
