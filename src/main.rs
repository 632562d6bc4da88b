//! The program. Everything is in the library; see `ARCHITECTURE.md`.

fn main() {}
