//! What a server and its workers say to each other.
//!
//! Owns: the messages' types, all of this program's own and apart from the judge's, their protocol number, and their form as
//! bytes. Must not know: how messages travel, the database.

mod bytes64;
pub mod call;
pub mod envelope;
pub mod outcome;
#[cfg(test)]
mod round_trip;
pub mod subjects;
pub mod work;

/// Grows with every change that an older worker or server would misread. Both sides name theirs when they meet.
pub const PROTOCOL: u32 = 1;
