//! The store and the use cases over a real file: each test in a folder of its own, with the time as an argument.

mod accounts;
mod board;
mod fixture;
mod judging;
mod problems;
mod queue;
mod records;
mod submissions;
