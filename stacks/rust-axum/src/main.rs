//! The stack rust-axum: starts the runtime and the server.

mod items;
mod settings;
mod store;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::serve::ListenerExt;
use axum::{Router, routing::get};
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use settings::Settings;
use store::Store;

const DRAIN: Duration = Duration::from_secs(3);

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
    let served = runtime.block_on(serve(settings));
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

fn build_runtime(settings: &Settings) -> std::io::Result<Runtime> {
    let mut builder = runtime::Builder::new_multi_thread();
    if let Some(workers) = settings.workers {
        builder.worker_threads(workers);
    }
    builder
        .max_blocking_threads(settings.max_threads)
        .enable_all()
        .build()
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;

    let store = Arc::new(Store::open(&settings.database_url, settings.db_pool).await?);
    let app = Router::new()
        .route("/health", get(|| async { "ok" }))
        .merge(items::routes())
        .with_state(store);

    let listener = TcpListener::bind((settings.host.as_str(), settings.port))
        .await
        .with_context(|| format!("{}:{}", settings.host, settings.port))?
        .tap_io(|connection| {
            let _ = connection.set_nodelay(true); // a connection that is gone already fails later anyway
        });

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = axum::serve(listener, app).with_graceful_shutdown(async {
        let _ = stopped.await;
    });
    let deadline = async {
        either(&mut interrupted, &mut terminated).await;
        let _ = stop.send(());
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        served = server.into_future() => served.context("serve"),
        () = deadline => Ok(()),
    }
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}
