//! The workloads similar-items and matching-mix. What is read is kept; matches are computed in each request.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Json, Router, routing::get};
use serde::Serialize;
use tokio::sync::OnceCell;
use tokio::task::{block_in_place, spawn_blocking};

use super::failure::Failure;
use crate::model::{Article, Rating};
use crate::settings::BlockingWork;
use crate::similar::Vectors;

const MOST_SIMILAR: usize = 10;
const MILLION: f64 = 1e6;

/// Reads the tables articles and ratings.
pub trait ArticleStore: Send + Sync + 'static {
    fn articles(&self) -> impl Future<Output = anyhow::Result<Vec<Article>>> + Send;
    fn ratings(&self) -> impl Future<Output = anyhow::Result<Vec<Rating>>> + Send;
}

/// What is kept is made when it is first needed.
struct Articles<S> {
    store: Arc<S>,
    work: BlockingWork,
    vectors: OnceCell<Arc<Vectors>>,
    /// The articles that each user has rated.
    rated: OnceCell<HashMap<i64, Vec<i64>>>,
}

#[derive(Serialize)]
struct Named {
    id: i64,
    name: String,
}

#[derive(Serialize)]
struct Similar {
    id: i64,
    similar: Vec<i64>,
}

#[derive(Serialize)]
struct BestOfUser {
    id: i64,
    articles: Vec<Matched>,
}

#[derive(Serialize)]
struct Matched {
    id: i64,
    similarity_millionths: i64,
}

pub fn routes<S: ArticleStore>(store: Arc<S>, work: BlockingWork) -> Router {
    let articles = Articles {
        store,
        work,
        vectors: OnceCell::new(),
        rated: OnceCell::new(),
    };
    Router::new()
        .route("/articles/{id}", get(article::<S>))
        .route("/articles/{id}/similar", get(similar::<S>))
        .route("/users/{id}/articles", get(best_of_user::<S>))
        .with_state(Arc::new(articles))
}

type Asked = Result<Path<i64>, PathRejection>;

async fn article<S: ArticleStore>(
    State(articles): State<Arc<Articles<S>>>,
    path: Asked,
) -> Result<Json<Named>, Failure> {
    let Path(id) = path?;
    let name = articles.vectors().await?.name(id);
    let name = name.ok_or(Failure::NOT_FOUND)?.to_owned();
    Ok(Json(Named { id, name }))
}

async fn similar<S: ArticleStore>(
    State(articles): State<Arc<Articles<S>>>,
    path: Asked,
) -> Result<Json<Similar>, Failure> {
    let Path(id) = path?;
    let found = articles.compute(move |vectors| vectors.most_similar(id, MOST_SIMILAR));
    let found = found.await?.ok_or(Failure::NOT_FOUND)?;
    let similar = found.into_iter().map(|one| one.id).collect();
    Ok(Json(Similar { id, similar }))
}

async fn best_of_user<S: ArticleStore>(
    State(articles): State<Arc<Articles<S>>>,
    path: Asked,
) -> Result<Json<BestOfUser>, Failure> {
    let Path(id) = path?;
    let rated = articles.rated_by(id).await?;
    let rated = rated.ok_or(Failure::NOT_FOUND)?.clone();
    let found = articles.compute(move |vectors| vectors.best_for(&rated, MOST_SIMILAR));
    let articles = found
        .await?
        .into_iter()
        .map(|one| Matched {
            id: one.id,
            similarity_millionths: (one.similarity * MILLION).round() as i64,
        })
        .collect();
    Ok(Json(BestOfUser { id, articles }))
}

impl<S: ArticleStore> Articles<S> {
    async fn vectors(&self) -> anyhow::Result<&Arc<Vectors>> {
        self.vectors.get_or_try_init(|| self.read_articles()).await
    }

    async fn read_articles(&self) -> anyhow::Result<Arc<Vectors>> {
        Ok(Arc::new(Vectors::of(self.store.articles().await?)))
    }

    async fn rated_by(&self, user: i64) -> anyhow::Result<Option<&Vec<i64>>> {
        let rated = self.rated.get_or_try_init(|| self.read_ratings()).await?;
        Ok(rated.get(&user))
    }

    async fn read_ratings(&self) -> anyhow::Result<HashMap<i64, Vec<i64>>> {
        let mut by_user: HashMap<_, Vec<_>> = HashMap::new();
        for Rating { user, article } in self.store.ratings().await? {
            by_user.entry(user).or_default().push(article);
        }
        Ok(by_user)
    }

    /// What `run` computes, where the settings say.
    async fn compute<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Vectors) -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        let vectors = self.vectors().await?;
        Ok(match self.work {
            BlockingWork::BlockingPool => {
                let vectors = vectors.clone();
                spawn_blocking(move || run(&vectors)).await?
            }
            BlockingWork::InPlace => block_in_place(|| run(vectors)),
            BlockingWork::Inline => run(vectors),
        })
    }
}
