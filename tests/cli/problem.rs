//! `touchstone problem new`, `export` and `import`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::package::{Sum, complaint, stdout, touchstone};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_new_package_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let result = json(&stdout(touchstone(folder.path()).args(["problem", "new", "sums", "--json"]), 0));
    assert_eq!((result["package"].as_str(), result["files"].as_array().unwrap().len()), (Some("sums"), 18));
    let report = json(&stdout(touchstone(folder.path()).args(["problem", "verify", "--json", "sums"]), 0));
    assert_eq!(report["holds"], true, "{report}");
    let again = complaint(touchstone(folder.path()).args(["problem", "new", "sums"]));
    assert!(again.contains("sums is there already"), "{again}");
    let bad = complaint(touchstone(folder.path()).args(["problem", "new", "Not good"]));
    assert!(bad.contains("`Not good` can't be a short name"), "{bad}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_package_goes_out_and_comes_back() {
    let sum = Sum::new();
    sum.write("generators/run", "#!/bin/sh\n");
    fs::set_permissions(sum.path().join("generators/run"), fs::Permissions::from_mode(0o755)).unwrap();
    let around = sum.beside("nothing", b"");
    let around = around.parent().unwrap();
    let out = json(&stdout(touchstone(around).args(["problem", "export", "sum", "-o", "sum.zip", "--json"]), 0));
    assert_eq!(out["package"], "sum");
    let mode = |name: &str| fs::metadata(around.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("sum.zip"), mode("nothing"), "others may read it as any file of the setter's");
    let again = complaint(touchstone(around).args(["problem", "export", "sum", "-o", "sum.zip"]));
    assert!(again.contains("sum.zip is there already"), "{again}");
    let back = json(&stdout(touchstone(around).args(["problem", "import", "sum.zip", "--to", "copy", "--json"]), 0));
    assert_eq!((back["package"].as_str(), back["tests"].as_u64()), (Some("copy"), Some(2)));
    assert_eq!(back["files"].as_array().unwrap().len() as u64, out["files"].as_u64().unwrap());
    for file in back["files"].as_array().unwrap() {
        let name = file["path"].as_str().unwrap();
        let (before, after) = (sum.path().join(name), around.join("copy").join(name));
        assert_eq!(fs::read(&before).unwrap(), fs::read(&after).unwrap(), "{name}");
        let is_executable = |path| fs::metadata(path).unwrap().permissions().mode() & 0o100 != 0;
        assert_eq!(is_executable(before), is_executable(after), "{name}");
    }
    let taken = complaint(touchstone(around).args(["problem", "import", "sum.zip", "--to", "copy"]));
    assert!(taken.contains("copy is there already"), "{taken}");
    let report = json(&stdout(touchstone(around).args(["problem", "verify", "--json", "sum.zip"]), 0));
    assert_eq!(report["holds"], true, "a zip can be verified as it is");
}

#[test]
fn what_is_wrong_leaves_nothing_behind() {
    let sum = Sum::new();
    let around = sum.beside("x.zip", b"Rar!\x1a\x07\x00");
    let around = around.parent().unwrap();
    let said = complaint(touchstone(around).args(["problem", "import", "x.zip", "--to", "made"]));
    assert_eq!(said, "touchstone: x.zip: it is a RAR archive, not a zip archive; pack the package's folder as a zip\n");
    stdout(touchstone(around).args(["problem", "export", "sum", "-o", "good.zip"]), 0);
    sum.write("data/secret/x.ans", "");
    let said = complaint(touchstone(around).args(["problem", "export", "sum", "-o", "bad.zip"]));
    assert!(said.contains("data/secret/x.ans: it belongs to no test"), "{said}");
    let said = complaint(touchstone(around).args(["problem", "import", "good.zip", "--to", "No Good"]));
    assert!(said.contains("`No Good` can't be a short name"), "{said}");
    let mut names: Vec<_> = fs::read_dir(around).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["good.zip", "sum", "x.zip"]);
}

/// A package of 200 tests and 200 MB, with less memory than that to live in.
#[test]
fn a_large_package_is_imported_in_constant_memory() {
    let sum = Sum::new();
    let mut line: Vec<u8> = (0..1_000_000_u32).map(|at| b'0' + (at.wrapping_mul(2_654_435_761) >> 29) as u8).collect();
    line.push(b'\n');
    for index in 0..200 {
        line[index] = b'9';
        let name = sum.path().join(format!("data/secret/large-{index:03}.in"));
        fs::write(name, &line).unwrap();
        sum.write(&format!("data/secret/large-{index:03}.ans"), "0\n");
    }
    let around = sum.beside("nothing", b"");
    let around = around.parent().unwrap();
    // The shell's limit of address space holds for what it becomes.
    let limited = |command: &str| {
        let mut shell = assert_cmd::Command::new("sh");
        shell.current_dir(around).env("TOUCHSTONE", env!("CARGO_BIN_EXE_touchstone"));
        shell.args(["-c", &format!("ulimit -v 200000; exec \"$TOUCHSTONE\" problem {command}")]);
        shell
    };
    stdout(&mut limited("export sum -o large.zip"), 0);
    let result = json(&stdout(&mut limited("import large.zip --to large --json"), 0));
    assert_eq!(result["tests"], 202);
    let last = "data/secret/large-199.in";
    assert_eq!(fs::read(around.join("large").join(last)).unwrap(), fs::read(sum.path().join(last)).unwrap());
}
