//! Touchstone, an online judge in one binary.
//!
//! `ARCHITECTURE.md` draws the rooms and the arrows between them; `tests/architecture.rs` enforces them.

pub mod clock;
pub mod domain;
pub mod ranking;
pub mod sandbox;
pub mod service;
pub mod store;
pub mod web;
