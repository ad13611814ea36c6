//! What is read: items, their names, articles and ratings.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio_postgres::Row;

use super::Postgresql;
use crate::api::items::ItemStore;
use crate::api::several::NameStore;
use crate::api::similar::ArticleStore;
use crate::model::{Article, Ids, Item, Rating};

const PICK: &str =
    "SELECT id, uuid, name, hash_code, created_at FROM items WHERE id >= $1 ORDER BY id LIMIT 1";
const BY_UUID: &str = "SELECT id, uuid, name, hash_code, created_at FROM items WHERE uuid = $1";
const NAME: &str = "SELECT name FROM items WHERE id = $1";
const BOUNDS: &str = "SELECT min(id), max(id) FROM items";
const ARTICLES: &str = "SELECT id, name, type, tags, description FROM articles";
const RATINGS: &str = "SELECT user_number, article_id FROM ratings";

impl ItemStore for Postgresql {
    async fn random_item(&self) -> anyhow::Result<Option<Item>> {
        let id = self.ids.get_or_try_init(|| self.read_ids()).await?.draw();
        let row = self.optional(PICK, &[&id]).await?;
        row.as_ref().map(to_item).transpose()
    }

    async fn item_by_uuid(&self, uuid: String) -> anyhow::Result<Option<Item>> {
        let row = self.optional(BY_UUID, &[&uuid]).await?;
        row.as_ref().map(to_item).transpose()
    }
}

impl NameStore for Postgresql {
    async fn item_name(&self, id: i64) -> anyhow::Result<Option<String>> {
        let row = self.optional(NAME, &[&id]).await?;
        row.map(|row| row.try_get(0).map_err(Into::into))
            .transpose()
    }
}

impl ArticleStore for Postgresql {
    async fn articles(&self) -> anyhow::Result<Vec<Article>> {
        let rows = self.all(ARTICLES, &[]).await?;
        rows.iter().map(to_article).collect()
    }

    async fn ratings(&self) -> anyhow::Result<Vec<Rating>> {
        let rows = self.all(RATINGS, &[]).await?;
        rows.iter().map(to_rating).collect()
    }
}

impl Postgresql {
    async fn read_ids(&self) -> anyhow::Result<Ids> {
        let row = self.one(BOUNDS, &[]).await?;
        Ids::new(row.try_get(0)?, row.try_get(1)?)
    }
}

fn to_item(row: &Row) -> anyhow::Result<Item> {
    let created_at: OffsetDateTime = row.try_get(4)?;
    Ok(Item {
        id: row.try_get(0)?,
        uuid: row.try_get(1)?,
        name: row.try_get(2)?,
        hash_code: row.try_get(3)?,
        created_at: created_at.format(&Rfc3339)?,
    })
}

fn to_article(row: &Row) -> anyhow::Result<Article> {
    Ok(Article {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        kind: row.try_get(2)?,
        tags: row.try_get(3)?,
        description: row.try_get(4)?,
    })
}

fn to_rating(row: &Row) -> anyhow::Result<Rating> {
    Ok(Rating {
        user: row.try_get(0)?,
        article: row.try_get(1)?,
    })
}
