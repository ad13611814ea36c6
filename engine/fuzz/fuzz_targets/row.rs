//! `cargo +nightly fuzz run row`

#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "shared by all targets")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::row(bytes));
