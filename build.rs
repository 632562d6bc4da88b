//! Tells cargo that the program embeds `migrations/`, so that a new file there is not overlooked.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
