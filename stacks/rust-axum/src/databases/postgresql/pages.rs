//! What a page shows.

use super::Postgresql;
use crate::api::pages::{PageItem, PageStore};

const ITEM: &str = "SELECT name, uuid, description FROM items WHERE id = $1";
const BEFORE: &str = "SELECT name FROM items WHERE id < $1 ORDER BY id DESC LIMIT $2";
const COUNT: &str = "SELECT count(*) FROM categories";
const CATEGORIES: &str = "SELECT name FROM categories ORDER BY id";

impl PageStore for Postgresql {
    async fn page_item(&self, id: i64) -> anyhow::Result<Option<PageItem>> {
        let Some(row) = self.optional(ITEM, &[&id]).await? else {
            return Ok(None);
        };
        Ok(Some(PageItem {
            name: row.try_get(0)?,
            uuid: row.try_get(1)?,
            description: row.try_get(2)?,
        }))
    }

    async fn names_before(&self, id: i64, limit: i64) -> anyhow::Result<Vec<String>> {
        let rows = self.all(BEFORE, &[&id, &limit]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    async fn count_categories(&self) -> anyhow::Result<i64> {
        Ok(self.one(COUNT, &[]).await?.try_get(0)?)
    }

    async fn category_names(&self) -> anyhow::Result<Vec<String>> {
        let rows = self.all(CATEGORIES, &[]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}
