//! The program. Everything is in the library; see `ARCHITECTURE.md`.

fn main() -> std::process::ExitCode {
    touchstone::sandbox::run_if_helper();
    touchstone::cli::main()
}
