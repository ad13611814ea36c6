//! What a page shows.

use anyhow::Context;

use super::Mariadb;
use crate::api::pages::{PageItem, PageStore};

const ITEM: &str = "SELECT name, uuid, description FROM items WHERE id = ?";
const BEFORE: &str = "SELECT name FROM items WHERE id < ? ORDER BY id DESC LIMIT ?";
const COUNT: &str = "SELECT count(*) FROM categories";
const CATEGORIES: &str = "SELECT name FROM categories ORDER BY id";

impl PageStore for Mariadb {
    async fn page_item(&self, id: i64) -> anyhow::Result<Option<PageItem>> {
        let row = self.first(ITEM, (id,)).await?;
        Ok(row.map(|(name, uuid, description)| PageItem {
            name,
            uuid,
            description,
        }))
    }

    async fn names_before(&self, id: i64, limit: i64) -> anyhow::Result<Vec<String>> {
        self.all(BEFORE, (id, limit)).await
    }

    async fn count_categories(&self) -> anyhow::Result<i64> {
        self.first(COUNT, ()).await?.context("no row")
    }

    async fn category_names(&self) -> anyhow::Result<Vec<String>> {
        self.all(CATEGORIES, ()).await
    }
}
