//! The workload plaintext.

use axum::{Router, routing::get};

pub fn routes() -> Router {
    Router::new().route("/plaintext", get(|| async { "Hello, World!" }))
}
