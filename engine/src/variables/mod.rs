//! Variables of a connection: taken from the answers to its setup requests or to a journey's steps, and sent in what
//! follows on it.
//!
//! Their values are credentials: they are held here, written into requests, and shown nowhere.

mod hide;
mod sources;
mod take;
mod values;

pub use sources::VariableSources;
pub use take::Taking;
pub(crate) use take::value_at;
pub use values::Variables;
