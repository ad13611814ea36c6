//! The integration tests. `FAIRTRIAL_TEST_DRIVER=epoll` says by which driver; otherwise it is the one that the engine
//! chooses, which is io_uring where it is to be had. `make test-engine` runs them by both.
//!
//! They are one crate: as a crate of its own, each file would be linked with the engine's libraries once more.

mod by_driver;
mod common;
mod hostile_http2;
mod hostile_http3;
mod hostile_tls;
mod subcommands;
