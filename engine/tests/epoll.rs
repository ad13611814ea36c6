//! The integration tests, by epoll where a driver is at work.
//!
//! They are one crate: as a crate of its own, each file would be linked with the engine's libraries once more.

mod by_driver;
mod common;
mod subcommands;
