//! Units of work on the table units.

use deadpool_postgres::GenericClient;

use super::{Postgresql, flat, one};
use crate::api::units::{Transaction, Unit, UnitStore};

const COUNT: &str = "SELECT count(*) FROM units";
const COUNT_LABEL: &str = "SELECT count(*) FROM units WHERE label = $1";
const INSERT: &str = "INSERT INTO units (name, value, label) VALUES ($1, $2, $3) RETURNING id";
const UPDATE: &str = "UPDATE units SET value = value + 1 WHERE id = $1";

impl UnitStore for Postgresql {
    async fn run(&self, unit: &'static Unit) -> anyhow::Result<i64> {
        let mut client = self.client().await?;
        if let Transaction::None = unit.transaction {
            return statements(&client, unit).await;
        }
        // A transaction that is dropped, after an error say, is rolled back.
        let transaction = client.transaction().await.map_err(flat)?;
        let first = statements(&transaction, unit).await?;
        match unit.transaction {
            Transaction::Committed => transaction.commit().await.map_err(flat)?,
            _ => transaction.rollback().await.map_err(flat)?,
        }
        Ok(first)
    }
}

/// Gives the first count.
async fn statements(client: &impl GenericClient, unit: &Unit) -> anyhow::Result<i64> {
    let mut first = None;
    for _ in 0..unit.counts {
        let count: i64 = one(client, COUNT, &[]).await?.try_get(0)?;
        first.get_or_insert(count);
    }
    for _ in 0..unit.label_counts {
        one(client, COUNT_LABEL, &[&"red"]).await?;
    }
    let mut inserted: i64 = 0;
    for _ in 0..unit.inserts {
        let row = one(client, INSERT, &[&"unit", &0_i64, &"blue"]).await?;
        inserted = row.try_get(0)?;
    }
    for _ in 0..unit.updates {
        let statement = client.prepare_cached(UPDATE).await.map_err(flat)?;
        let updated = client.execute(&statement, &[&inserted]).await;
        updated.map_err(flat)?;
    }
    Ok(first.unwrap_or_default())
}
