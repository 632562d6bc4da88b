//! The program. Everything is in the library; see `ARCHITECTURE.md`.

fn main() {
    touchstone::sandbox::run_if_helper();
}
