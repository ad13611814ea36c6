//! All that is tested of the drivers, once more by io_uring where it is to be had; by themselves these run by epoll.

#![allow(clippy::duplicate_mod, reason = "each of these files is also a crate of its own")]

#[path = "changing_rows.rs"]
mod changing_rows;
#[path = "closed_load.rs"]
mod closed_load;
#[path = "connect_failures.rs"]
mod connect_failures;
#[path = "misbehaving_servers.rs"]
mod misbehaving_servers;
#[path = "open_load.rs"]
mod open_load;
#[path = "rows.rs"]
mod rows;
#[path = "sockets.rs"]
mod sockets;
#[path = "templates.rs"]
mod templates;
#[path = "tls.rs"]
mod tls;
#[path = "whole_run.rs"]
mod whole_run;
