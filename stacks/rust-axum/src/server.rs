//! Listens and serves, and ends within seconds of SIGTERM.

use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

const DRAIN: Duration = Duration::from_secs(3);

pub async fn serve(host: &str, port: u16, routes: Router) -> anyhow::Result<()> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;

    let listener = TcpListener::bind((host, port))
        .await
        .with_context(|| format!("{host}:{port}"))?
        .tap_io(|connection| {
            let _ = connection.set_nodelay(true); // a connection that is gone already fails later anyway
        });

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = axum::serve(listener, routes).with_graceful_shutdown(async {
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
