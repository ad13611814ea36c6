//! The engine's other subcommands, as processes.

mod dataset;
mod guard;
mod target;
mod target_faults;
