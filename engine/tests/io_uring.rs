//! All that is tested of the drivers, once more by io_uring where it is to be had; by themselves these run by epoll.

#[path = "closed_load.rs"]
mod closed_load;
#[path = "misbehaving_servers.rs"]
mod misbehaving_servers;
#[path = "rows.rs"]
mod rows;
#[path = "sockets.rs"]
mod sockets;
