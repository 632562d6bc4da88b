//! Touchstone, an online judge in one binary.
//!
//! `ARCHITECTURE.md` draws the rooms and the arrows between them; `tests/architecture.rs` enforces them.

pub mod sandbox;
