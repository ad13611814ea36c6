//! The engine's other subcommands, as processes.

mod dataset;
mod idle;
mod proxy;
mod proxy_datagrams;
mod target;
mod target_faults;
