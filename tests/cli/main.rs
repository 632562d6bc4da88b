//! The command line as people and scripts use it: output, JSON, exit codes, sentences about mistakes.
#![expect(clippy::unwrap_used, reason = "a test that can't set up should stop")]

mod answers;
mod check;
mod folders;
mod help;
mod judge;
mod mistakes;
mod package;
mod problem;
mod programs;
mod publish;
mod staff;
mod stress;
mod verify;
