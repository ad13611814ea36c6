//! What is read: items, articles and ratings.

use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::Sqlite;
use crate::api::items::ItemStore;
use crate::api::similar::ArticleStore;
use crate::model::{Article, Ids, Item, Rating};

const PICK: &str =
    "SELECT id, uuid, name, hash_code, created_at FROM items WHERE id >= ? ORDER BY id LIMIT 1";
const BY_UUID: &str = "SELECT id, uuid, name, hash_code, created_at FROM items WHERE uuid = ?";
/// Two selects, because min() and max() in one would scan the whole table.
const BOUNDS: &str = "SELECT (SELECT min(id) FROM items), (SELECT max(id) FROM items)";
const ARTICLES: &str = "SELECT id, name, type, tags, description FROM articles";
const RATINGS: &str = "SELECT user_number, article_id FROM ratings";

impl ItemStore for Sqlite {
    async fn random_item(&self) -> anyhow::Result<Option<Item>> {
        let id = self.ids.get_or_try_init(|| self.read_ids()).await?.draw();
        self.query(move |connection| item(connection, PICK, [id]))
            .await
    }

    async fn item_by_uuid(&self, uuid: String) -> anyhow::Result<Option<Item>> {
        self.query(move |connection| item(connection, BY_UUID, [uuid]))
            .await
    }
}

impl ArticleStore for Sqlite {
    async fn articles(&self) -> anyhow::Result<Vec<Article>> {
        self.query(|connection| {
            connection
                .prepare(ARTICLES)?
                .query_map([], to_article)?
                .collect()
        })
        .await
    }

    async fn ratings(&self) -> anyhow::Result<Vec<Rating>> {
        self.query(|connection| {
            connection
                .prepare(RATINGS)?
                .query_map([], to_rating)?
                .collect()
        })
        .await
    }
}

impl Sqlite {
    async fn read_ids(&self) -> anyhow::Result<Ids> {
        let (first, last) = self
            .query(|connection| {
                connection.query_row(BOUNDS, [], |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .await?;
        Ids::new(first, last)
    }
}

fn item(
    connection: &Connection,
    query: &str,
    params: impl Params,
) -> rusqlite::Result<Option<Item>> {
    connection
        .prepare_cached(query)?
        .query_row(params, to_item)
        .optional()
}

fn to_item(row: &Row) -> rusqlite::Result<Item> {
    Ok(Item {
        id: row.get(0)?,
        uuid: row.get(1)?,
        name: row.get(2)?,
        hash_code: row.get(3)?,
        created_at: row.get(4)?,
    })
}

fn to_article(row: &Row) -> rusqlite::Result<Article> {
    Ok(Article {
        id: row.get(0)?,
        name: row.get(1)?,
        kind: row.get(2)?,
        tags: row.get(3)?,
        description: row.get(4)?,
    })
}

fn to_rating(row: &Row) -> rusqlite::Result<Rating> {
    Ok(Rating {
        user: row.get(0)?,
        article: row.get(1)?,
    })
}
