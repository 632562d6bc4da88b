//! From jobs to results: building programs, running tests, preparing and verifying packages.
//!
//! Owns: the worker loop and everything that starts programs. Must not know: HTTP, accounts; the database only in
//! `local`, which is the embedded worker's door to it.

pub mod answers;
pub mod blob_cache;
pub mod calibration;
pub mod compile;
pub mod counterexample_job;
pub mod custom_validator;
pub mod fault;
pub mod groups;
pub mod host;
mod interactive;
pub mod java;
pub mod job_source;
mod judge_job;
pub mod judgement;
pub mod known_runs;
pub mod languages;
pub mod local;
pub mod needs;
mod opened;
pub mod package_program;
pub mod parallel;
mod picture_job;
mod precompiled;
pub mod prepare;
mod prepare_job;
pub mod printed;
pub mod program;
mod program_cache;
pub mod progress;
pub mod receipt;
pub mod replay;
pub mod rules;
pub mod run_test;
mod scripted;
pub mod side_by_side;
pub mod stress;
mod test_config;
pub mod test_file;
pub mod toolchain;
mod trial_job;
pub mod verify;
mod verify_job;
pub mod worker;
pub mod workshop;
