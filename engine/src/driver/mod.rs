//! Drivers move bytes between sockets and a [`Conversation`]. Everything else is the conversation's.

mod choice;
mod conversation;
mod epoll;
mod failure;
mod kept;
mod pace;
pub(crate) mod socket;
mod starts;
mod stop;
mod uring;

pub use choice::{Driver, choose};
pub use conversation::{Conversation, DATAGRAM_LENGTH_BYTES, Next};
pub use failure::Failure;
pub use kept::Kept;
pub use pace::DriverUse;
pub use stop::StopLine;

#[cfg(test)]
mod tests;
