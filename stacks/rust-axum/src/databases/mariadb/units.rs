//! Units of work on the table units.

use anyhow::Context;
use mysql_async::TxOpts;
use mysql_async::prelude::Queryable;

use super::{Mariadb, flat};
use crate::api::units::{Transaction, Unit, UnitStore};

const COUNT: &str = "SELECT count(*) FROM units";
const COUNT_LABEL: &str = "SELECT count(*) FROM units WHERE label = ?";
const INSERT: &str = "INSERT INTO units (name, value, label) VALUES (?, ?, ?)";
const UPDATE: &str = "UPDATE units SET value = value + 1 WHERE id = ?";

impl UnitStore for Mariadb {
    async fn run(&self, unit: &'static Unit) -> anyhow::Result<i64> {
        let mut connection = self.connection().await?;
        if let Transaction::None = unit.transaction {
            return statements(&mut connection, unit).await;
        }
        // A transaction that is dropped, after an error say, is rolled back by the pool.
        let mut transaction = connection
            .start_transaction(TxOpts::default())
            .await
            .map_err(flat)?;
        let first = statements(&mut transaction, unit).await?;
        match unit.transaction {
            Transaction::Committed => transaction.commit().await.map_err(flat)?,
            _ => transaction.rollback().await.map_err(flat)?,
        }
        Ok(first)
    }
}

/// Gives the first count.
async fn statements(connection: &mut impl Queryable, unit: &Unit) -> anyhow::Result<i64> {
    let mut first = None;
    for _ in 0..unit.counts {
        let count: Option<i64> = connection.exec_first(COUNT, ()).await.map_err(flat)?;
        first.get_or_insert(count.context("no row")?);
    }
    for _ in 0..unit.label_counts {
        let _: Option<i64> = connection
            .exec_first(COUNT_LABEL, ("red",))
            .await
            .map_err(flat)?;
    }
    let mut inserted = 0;
    for _ in 0..unit.inserts {
        let result = connection
            .exec_iter(INSERT, ("unit", 0, "blue"))
            .await
            .map_err(flat)?;
        inserted = result.last_insert_id().context("no id")?;
        result.drop_result().await.map_err(flat)?;
    }
    for _ in 0..unit.updates {
        let updated = connection.exec_drop(UPDATE, (inserted,)).await;
        updated.map_err(flat)?;
    }
    Ok(first.unwrap_or_default())
}
