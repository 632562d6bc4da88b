//! stub
pub fn run_probe(_name: &str) -> ! {
    super::sys::exit_now(9)
}
