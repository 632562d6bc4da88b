//! The real server: what it logs, where its programs run, and when it is killed, stopped, or loses what it stands on. Each test has a data folder of its own; what
//! is in the database afterwards is looked at from outside, with SQL of the tests' own.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the real program is started, and the file is looked at from outside")]

mod copies;
mod cores;
mod farm;
mod farm_faults;
mod farm_fit;
mod farm_tls;
mod farm_trust;
mod faults;
mod folder;
mod kills;
mod logs;
mod memory;
mod nats;
mod people;
mod server;
mod staff;
mod stop;
mod waiting;
mod worker;
