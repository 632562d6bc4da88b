//! Scoreboards: from submissions and verdicts to ranked rows. Pure: no clock, no database, no pages.
//!
//! Owns: the rules of ranking, penalty and freeze. Must not know: where facts come from, who looks at a board beyond
//! the [`icpc::View`] it is asked for.

pub mod awards;
pub mod difference;
pub mod ghost;
pub mod icpc;
pub mod resolver;
