//! Rows that the plan gives, of which requests take one each: read once, and written out once for every place where a
//! column stands. A request then costs one copy for each cell.

mod column;
mod source;
mod table;

pub use column::{Column, Form, percent_encode};
pub(crate) use source::member;
pub use source::{RowSource, RowSources};
pub use table::{Pick, Table};

#[cfg(test)]
pub(crate) use source::tests;
