//! What is tested of both drivers: by epoll in `epoll.rs`, by io_uring, where it is to be had, in `io_uring.rs`.

mod changing_rows;
mod closed_load;
mod connect_failures;
mod given_rows;
mod kept_bodies;
mod misbehaving_servers;
mod open_load;
mod reference;
mod rows;
mod sockets;
mod templates;
mod tls;
mod whole_run;
