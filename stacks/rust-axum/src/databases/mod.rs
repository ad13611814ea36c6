//! The databases, each with what it can be asked for.

#[cfg(feature = "mariadb")]
pub mod mariadb;
#[cfg(feature = "postgresql")]
pub mod postgresql;
#[cfg(feature = "sqlite")]
pub mod sqlite;

use std::fmt::Display;

use anyhow::Error;

/// Drops the sources of an error whose message holds theirs already.
fn flat(error: impl Display) -> Error {
    Error::msg(error.to_string())
}
