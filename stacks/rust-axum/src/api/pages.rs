//! The workload page: an HTML page of three queries, with a list that the cache keeps.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Html;
use axum::{Router, routing::get};

use super::failure::Failure;

const FRAGMENT: &str = "fragment:categories";
const FRAGMENT_LIFE: Duration = Duration::from_secs(60);
const PRECEDING: i64 = 10;

/// What a page shows of its item.
pub struct PageItem {
    pub name: String,
    pub uuid: String,
    pub description: String,
}

/// Asks what a page shows.
pub trait PageStore: Send + Sync + 'static {
    fn page_item(&self, id: i64) -> impl Future<Output = anyhow::Result<Option<PageItem>>> + Send;
    /// The names of the items before this one, the nearest first.
    fn names_before(
        &self,
        id: i64,
        limit: i64,
    ) -> impl Future<Output = anyhow::Result<Vec<String>>> + Send;
    fn count_categories(&self) -> impl Future<Output = anyhow::Result<i64>> + Send;
    /// The names of all categories, by id.
    fn category_names(&self) -> impl Future<Output = anyhow::Result<Vec<String>>> + Send;
}

/// Keeps fragments of pages.
pub trait Cache: Send + Sync + 'static {
    fn get(&self, key: &str) -> impl Future<Output = anyhow::Result<Option<String>>> + Send;
    /// Keeps a value for whole seconds.
    fn set(
        &self,
        key: &str,
        value: &str,
        life: Duration,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;
}

struct Pages<S, C> {
    store: Arc<S>,
    cache: Arc<C>,
}

pub fn routes<S: PageStore, C: Cache>(store: Arc<S>, cache: Arc<C>) -> Router {
    Router::new()
        .route("/pages/{id}", get(page::<S, C>))
        .with_state(Arc::new(Pages { store, cache }))
}

async fn page<S: PageStore, C: Cache>(
    State(pages): State<Arc<Pages<S, C>>>,
    path: Result<Path<i64>, PathRejection>,
) -> Result<Html<String>, Failure> {
    let Path(id) = path?;
    let item = pages.store.page_item(id).await?;
    let item = item.ok_or(Failure::NOT_FOUND)?;
    let before = pages.store.names_before(id, PRECEDING).await?;
    let count = pages.store.count_categories().await?;
    let categories = pages.categories().await?;
    Ok(Html(render(&item, &before, count, &categories)))
}

impl<S: PageStore, C: Cache> Pages<S, C> {
    /// The list of categories as HTML, from the cache if it is there.
    async fn categories(&self) -> anyhow::Result<String> {
        if let Some(kept) = self.cache.get(FRAGMENT).await? {
            return Ok(kept);
        }
        let names = self.store.category_names().await?;
        let fragment = format!("<ul>{}</ul>", list(&names));
        self.cache.set(FRAGMENT, &fragment, FRAGMENT_LIFE).await?;
        Ok(fragment)
    }
}

fn render(item: &PageItem, before: &[String], count: i64, categories: &str) -> String {
    let name = escaped(&item.name);
    let uuid = escaped(&item.uuid);
    let description = escaped(&item.description);
    let before = list(before);
    format!(
        "<!doctype html><html><head><meta charset=\"utf-8\"><title>{name}</title></head><body>\
         <nav>{categories}</nav>\
         <h1>{name}</h1><p>{uuid}</p><p>{description}</p>\
         <ol>{before}</ol>\
         <footer>{count} categories</footer></body></html>"
    )
}

fn list(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("<li>{}</li>", escaped(name)))
        .collect()
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#x27;"),
            other => html.push(other),
        }
    }
    html
}
