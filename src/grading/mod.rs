//! From facts to verdicts, without side effects.
//!
//! Owns: what a run's facts mean, how outputs are compared, which test is next, how runs become a judgement, what
//! measured times say about a limit, which test rejects which program. Must not know: processes, files, the database,
//! packages. It takes facts from `sandbox`'s report, streams as [`std::io::Read`], and gives domain verdicts.

pub mod aggregate;
pub mod checker;
pub mod classify;
pub mod feedback;
pub mod host_fit;
pub mod kill_matrix;
pub mod shrink;
pub mod timing;
pub mod validator;
pub mod verification;
