//! The store and the use cases over a real file: each test in a folder of its own, with the time as an argument.

#![expect(clippy::expect_used, reason = "a test that can't go on has failed")]
#![expect(clippy::similar_names, reason = "a token and whether a name is taken are both good names")]

mod accounts;
mod backups;
mod board;
mod farm;
mod fixture;
mod judging;
mod migrations;
mod plans;
mod problems;
mod queue;
mod records;
mod rejudging;
mod roster;
mod submissions;
mod test_changes;
mod together;
mod verifications;
