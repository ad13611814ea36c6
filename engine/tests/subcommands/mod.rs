//! The engine's other subcommands, as processes.

mod dataset;
mod proxy;
mod target;
mod target_faults;
