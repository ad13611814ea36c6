//! Drivers move bytes between sockets and a [`Conversation`]. Everything else is the conversation's.

mod conversation;
pub mod epoll;
mod failure;
mod socket;
mod stop;

pub use conversation::{Conversation, Next};
pub use failure::ConnectFailure;
pub use stop::StopLine;

/// What a driver measured while it ran a conversation.
#[derive(Clone, Copy, Debug)]
pub struct DriverUse {
    /// Processor time of its thread in the window.
    pub cpu_ns: u64,
}
