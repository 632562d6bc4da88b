//! What the sandbox promises, tried with real programs.
//!
//! The whole suite runs as the user who starts it; started as root it runs once more as an ordinary user
//! (`ordinary_user`).

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the tests compile and start programs themselves")]

mod attacks;
mod doctor;
mod faults;
mod harness;
mod holds;
mod limits;
mod ordinary_user;
mod pairs;
mod streams;
mod toolchains;
