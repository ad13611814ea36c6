//! A warm-up that goes on until the pace is flat.
//!
//! The coordinator samples what all threads have done ([`course`]), asks from time to time whether the server still gets
//! faster ([`flatness`]), and says when the window opens ([`rule`], [`opening`]).

mod course;
mod flatness;
mod opening;
mod rule;
#[cfg(test)]
mod tests;

pub use course::{Course, Sample, Stretch};
pub use flatness::{Slope, slope};
pub use opening::{Opening, TICK_NS};
pub use rule::{Rule, WarmUp, WarmUpEnd, WarmUpWritten};
