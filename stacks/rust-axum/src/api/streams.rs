//! The workload stream: server-sent events with a pause between them.

use std::ops::RangeInclusive;
use std::time::Duration;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::{Router, routing::get};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Serialize;
use tokio::time::sleep;

use super::failure::Failure;

const EVENTS: RangeInclusive<u32> = 1..=1_000;
const PAUSES_MILLISECONDS: RangeInclusive<u64> = 1..=10_000;

#[derive(Serialize)]
struct Greeting {
    number: u32,
    text: &'static str,
}

pub fn routes() -> Router {
    Router::new().route("/stream/{events}/{milliseconds}", get(events))
}

/// The stream is dropped, and with it the pause, when the client goes away.
async fn events(
    Path((events, milliseconds)): Path<(u32, u64)>,
) -> Result<Sse<impl Stream<Item = Result<Event, axum::Error>>>, Failure> {
    if !EVENTS.contains(&events) || !PAUSES_MILLISECONDS.contains(&milliseconds) {
        return Err(Failure::Refused(StatusCode::BAD_REQUEST));
    }
    let numbered = stream::iter(0..events).then(move |number| async move {
        if number > 0 {
            sleep(Duration::from_millis(milliseconds)).await;
        }
        let text = "Hello, World!";
        Event::default()
            .id(number.to_string())
            .json_data(Greeting { number, text })
    });
    let last = stream::iter([Ok(Event::default().data("[DONE]"))]);
    Ok(Sse::new(numbered.chain(last)))
}
