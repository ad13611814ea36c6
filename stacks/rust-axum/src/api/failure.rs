//! From errors to statuses.

use anyhow::Error;
use axum::extract::rejection::PathRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Why a request is not answered 200.
pub enum Failure {
    /// The request's own; the status says it all.
    Refused(StatusCode),
    /// Somebody else's; the reason belongs in the log.
    Failed(StatusCode, Error),
}

impl Failure {
    pub const NOT_FOUND: Self = Self::Refused(StatusCode::NOT_FOUND);
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::Refused(status) => status.into_response(),
            Self::Failed(status, error) => {
                eprintln!("rust-axum: {error:#}");
                status.into_response()
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(StatusCode::INTERNAL_SERVER_ERROR, error)
    }
}

/// What does not even have the form of a key is nobody's key.
impl From<PathRejection> for Failure {
    fn from(_: PathRejection) -> Self {
        Self::NOT_FOUND
    }
}
