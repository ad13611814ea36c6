//! Drivers move bytes between sockets and a [`crate::session::Session`]. Everything else is the session's.

pub mod epoll;
mod socket;
mod stop;

pub use stop::StopLine;

/// What a driver measured while it ran a session.
#[derive(Clone, Copy, Debug)]
pub struct DriverUse {
    /// Processor time of its thread in the window.
    pub cpu_ns: u64,
}
