//! What is read: items, articles and ratings.

use time::PrimitiveDateTime;
use time::format_description::well_known::Rfc3339;

use super::Mariadb;
use crate::api::items::ItemStore;
use crate::api::similar::ArticleStore;
use crate::model::{Article, Ids, Item, Rating};

const PICK: &str =
    "SELECT id, uuid, name, hash_code, created_at FROM items WHERE id >= ? ORDER BY id LIMIT 1";
const BY_UUID: &str = "SELECT id, uuid, name, hash_code, created_at FROM items WHERE uuid = ?";
const BOUNDS: &str = "SELECT min(id), max(id) FROM items";
const ARTICLES: &str = "SELECT id, name, type, tags, description FROM articles";
const RATINGS: &str = "SELECT user_number, article_id FROM ratings";

type ItemRow = (i64, String, String, String, PrimitiveDateTime);
type ArticleRow = (i64, String, String, String, String);

impl ItemStore for Mariadb {
    async fn random_item(&self) -> anyhow::Result<Option<Item>> {
        let id = self.ids.get_or_try_init(|| self.read_ids()).await?.draw();
        self.first(PICK, (id,)).await?.map(to_item).transpose()
    }

    async fn item_by_uuid(&self, uuid: String) -> anyhow::Result<Option<Item>> {
        self.first(BY_UUID, (uuid,)).await?.map(to_item).transpose()
    }
}

impl ArticleStore for Mariadb {
    async fn articles(&self) -> anyhow::Result<Vec<Article>> {
        let rows = self.all(ARTICLES, ()).await?;
        Ok(rows.into_iter().map(to_article).collect())
    }

    async fn ratings(&self) -> anyhow::Result<Vec<Rating>> {
        let rows: Vec<(i64, i64)> = self.all(RATINGS, ()).await?;
        let rating = |(user, article)| Rating { user, article };
        Ok(rows.into_iter().map(rating).collect())
    }
}

impl Mariadb {
    async fn read_ids(&self) -> anyhow::Result<Ids> {
        let (first, last) = self.first(BOUNDS, ()).await?.unwrap_or_default();
        Ids::new(first, last)
    }
}

fn to_item((id, uuid, name, hash_code, created_at): ItemRow) -> anyhow::Result<Item> {
    let created_at = created_at.assume_utc().format(&Rfc3339)?;
    Ok(Item {
        id,
        uuid,
        name,
        hash_code,
        created_at,
    })
}

fn to_article((id, name, kind, tags, description): ArticleRow) -> Article {
    Article {
        id,
        name,
        kind,
        tags,
        description,
    }
}
