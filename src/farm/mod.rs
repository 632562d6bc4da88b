//! Judging on many machines: jobs, contents and results travel over NATS, and the server alone writes the database.
//!
//! Owns: what is said between a server and its workers (`wire`), the server's side of it (`server`) and the worker's
//! (`worker`), which is a second implementation of `judge::job_source::JobSource`. Must not know: pages, who may do what.
//! Only `server` knows the store and the clock: a worker has no database. `docs/adr/0016` says why it is as it is.

pub mod connect;
pub mod keys;
pub mod server;
pub mod wire;
pub mod worker;
