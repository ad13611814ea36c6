//! What handlers and stores speak of.

use anyhow::Context;
use rand::Rng;
use serde::Serialize;

/// A row of the table items, without what is not answered.
#[derive(Serialize)]
pub struct Item {
    pub id: i64,
    pub uuid: String,
    pub name: String,
    pub hash_code: String,
    /// RFC 3339, UTC.
    pub created_at: String,
}

/// The first and the last id of the table items.
pub struct Ids {
    first: i64,
    last: i64,
}

impl Ids {
    pub fn new(first: Option<i64>, last: Option<i64>) -> anyhow::Result<Self> {
        let (first, last) = first.zip(last).context("the table items is empty")?;
        Ok(Self { first, last })
    }

    pub fn draw(&self) -> i64 {
        rand::rng().random_range(self.first..=self.last)
    }
}

/// A row of the table articles.
pub struct Article {
    pub id: i64,
    pub name: String,
    pub kind: String,
    pub tags: String,
    pub description: String,
}

/// A row of the table ratings: a user has rated an article.
pub struct Rating {
    pub user: i64,
    pub article: i64,
}
