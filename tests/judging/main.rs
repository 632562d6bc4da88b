//! What contestants hand in, in every language of the table, and what they get for it.
//!
//! Needs gcc, g++, rustc, python3, a JDK and node: a missing one fails here, it is not skipped.
#![expect(clippy::unwrap_used, reason = "a test that can't set up should stop")]

mod alone;
mod bench;
mod changed_tests;
mod compiling;
mod counterexamples;
mod exports;
mod kinds;
mod languages;
mod recipes;
mod side_by_side;
mod sources;
mod timing;
mod validators;
#[path = "../crash/waiting.rs"]
mod waiting;
mod worker;
