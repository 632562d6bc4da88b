//! The built-in problem packages against the truth.
//!
//! Owns: every program under `submissions/accepted` compared with a brute force on thousands of small boards, the
//! input validators against good and planted bad inputs, and the wrong programs, each of which some test must catch.
//! Must not know: the judge itself. Programs run here without a sandbox, as all of them are our own.
//!
//! It needs rustc, gcc, g++, javac, java, node and python3, and fails where one is missing.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails, and the panic says where")]

mod curling;
mod lianliankan;
mod package;
mod random;

use package::Package;

/// Compares each accepted program's answer to `input` with what the brute force says, line by line.
fn assert_references_agree(slug: &str, input: &str, expected: &[String], describe: impl Fn(usize) -> String) {
    let package = Package::open(slug);
    let input = package.scratch_file("brute-force.in", input.as_bytes());
    let programs = package.programs("accepted");
    assert!(programs.len() >= 2, "{slug} needs two independent references at least");
    for source in programs {
        let name = source.display();
        let output = package.build(&source).output(&input);
        let output = String::from_utf8(output).unwrap_or_else(|_| panic!("{name} printed something that isn't text"));
        let got: Vec<&str> = output.split_ascii_whitespace().collect();
        if let Some(line) = (0..expected.len()).find(|&line| got.get(line) != Some(&expected[line].as_str())) {
            let said = got.get(line).unwrap_or(&"nothing");
            panic!("{name} says {said}, the brute force says {}\n{}", expected[line], describe(line));
        }
        assert_eq!(got.len(), expected.len(), "{name} printed more lines than there are answers");
    }
}

#[test]
fn lianliankan_references_agree_with_brute_force() {
    let trial = lianliankan::Trial::new(0x11a7, 6000);
    assert_references_agree("lianliankan", &trial.input, &trial.answers, |line| trial.describe(line));
}

#[test]
fn curling_references_agree_with_brute_force() {
    let trial = curling::Trial::new(0x3009, 6000);
    assert_references_agree("curling", &trial.input, &trial.answers, |line| trial.describe(line));
}

#[test]
fn lianliankan_package_holds() {
    let package = Package::open("lianliankan");
    package.assert_tests_are_sound();
    // The only rule whose violation is too large a file to be kept under data/invalid_input.
    let row = ["0"; 999].join(" ") + "\n";
    let board = |rows: usize| format!("{rows} 999\n{}1\n1 1 1 2\n", row.repeat(rows));
    package.assert_refused("too-many-cells", &(board(1000).repeat(4) + &board(5) + "0 0\n"));
}

#[test]
fn curling_package_holds() {
    Package::open("curling").assert_tests_are_sound();
}
