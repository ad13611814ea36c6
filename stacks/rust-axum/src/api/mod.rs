//! The HTTP surface: a file for each workload, with what it asks of its store.

mod failure;
#[cfg(feature = "none")]
pub mod fan_out;
pub mod health;
pub mod items;
pub mod pages;
pub mod plaintext;
pub mod queries;
pub mod several;
pub mod similar;
pub mod streams;
pub mod units;
