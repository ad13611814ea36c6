//! The workload similar-items. The term vectors are kept; similarities are computed in each request.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Json, Router, routing::get};
use serde::Serialize;
use tokio::sync::OnceCell;

use super::failure::Failure;
use crate::model::Article;
use crate::similar::Vectors;

const MOST_SIMILAR: usize = 10;

/// Reads the table articles.
pub trait ArticleStore: Send + Sync + 'static {
    fn articles(&self) -> impl Future<Output = anyhow::Result<Vec<Article>>> + Send;
}

struct Articles<S> {
    store: Arc<S>,
    /// Made when it is first needed.
    vectors: OnceCell<Vectors>,
}

#[derive(Serialize)]
struct Answer {
    id: i64,
    similar: Vec<i64>,
}

pub fn routes<S: ArticleStore>(store: Arc<S>) -> Router {
    let vectors = OnceCell::new();
    Router::new()
        .route("/articles/{id}/similar", get(similar::<S>))
        .with_state(Arc::new(Articles { store, vectors }))
}

async fn similar<S: ArticleStore>(
    State(articles): State<Arc<Articles<S>>>,
    path: Result<Path<i64>, PathRejection>,
) -> Result<Json<Answer>, Failure> {
    let Path(id) = path?;
    let read = async || articles.store.articles().await.map(|all| Vectors::of(&all));
    let vectors = articles.vectors.get_or_try_init(read).await?;
    let similar = vectors.most_similar(id, MOST_SIMILAR);
    let similar = similar.ok_or(Failure::NOT_FOUND)?;
    Ok(Json(Answer { id, similar }))
}
