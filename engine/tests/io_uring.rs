//! All that is tested of the drivers, once more by io_uring where it is to be had; by themselves these run by epoll.

// Each module brings its own `mod common`, here and where it is a test of its own.
#![allow(clippy::duplicate_mod)]

#[path = "closed_load.rs"]
mod closed_load;
#[path = "misbehaving_servers.rs"]
mod misbehaving_servers;
#[path = "rows.rs"]
mod rows;
#[path = "sockets.rs"]
mod sockets;
