//! The project's words as types: what a submission, a verdict, a limit is.
//!
//! Owns: valid values and their invariants. Must not know: files, clocks, the database, HTTP. Everything here is pure
//! and can only exist valid (parse, don't validate).

pub mod account;
pub mod cause;
pub mod contest;
pub mod family;
pub mod group_result;
pub mod hash;
pub mod ids;
pub mod language;
pub mod limits;
pub mod lookalike;
pub mod network;
pub mod one_time_code;
pub mod picture;
pub mod protocol;
pub mod slug;
pub mod source;
pub mod test_name;
pub mod time;
pub mod trial;
pub mod verdict;
pub mod verification;
pub mod worker_name;
