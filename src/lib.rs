//! Touchstone, an online judge in one binary.
//!
//! `ARCHITECTURE.md` draws the rooms and the arrows between them; `tests/architecture.rs` enforces them.

pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod farm;
pub mod grading;
pub mod judge;
pub mod package;
pub mod ranking;
pub mod roster;
pub mod sandbox;
pub mod service;
pub mod store;
pub mod telemetry;
pub mod web;
