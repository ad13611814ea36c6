//! `cargo +nightly fuzz run response`

#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "shared by all targets")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::response(bytes));
