//! The stack rust-axum: starts the runtime and the server.

// A build for some of the services does not use everything.
#![cfg_attr(not(feature = "default"), allow(dead_code))]

mod api;
mod databases;
mod model;
#[cfg(feature = "redis")]
mod redis;
mod server;
mod services;
mod settings;
mod similar;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::{self, Runtime};

use settings::Settings;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ABANDON_AFTER: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rust-axum: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let settings = Settings::from_environment()?;
    let runtime = build_runtime(&settings).context("tokio")?;
    let served = runtime.block_on(async {
        let routes = services::open(&settings)?;
        server::serve(&settings.host, settings.port, routes).await
    });
    runtime.shutdown_timeout(ABANDON_AFTER);
    served
}

fn build_runtime(settings: &Settings) -> std::io::Result<Runtime> {
    let mut builder = runtime::Builder::new_multi_thread();
    if let Some(workers) = settings.workers {
        builder.worker_threads(workers);
    }
    builder
        .max_blocking_threads(settings.max_concurrency)
        .enable_all()
        .build()
}
