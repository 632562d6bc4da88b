//! A small package on disk: print the sum of two numbers.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// A right program.
pub const RIGHT: &str = "print(sum(map(int, input().split())))\n";

/// The package `sum` in a folder of its own.
pub struct Sum {
    folder: TempDir,
}

impl Sum {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sum = Self { folder };
        sum.write(
            "problem.yaml",
            "problem_format_version: 2025-09\ntype: pass-fail\nname: Sum\n\
             uuid: 7f3f7c0e-1c5a-4d0b-9c55-2d0f6a1b8e11\nlicense: cc0\nlimits:\n  time_limit: 2\n  memory: 256\n",
        );
        sum.write("statement/problem.en.md", "Print the sum of two numbers.\n");
        sum.write("data/sample/1.in", "1 2\n");
        sum.write("data/sample/1.ans", "3\n");
        sum.write("data/secret/1.in", "5 7\n");
        sum.write("data/secret/1.ans", "12\n");
        sum.write("data/invalid_input/words.in", "one two\n");
        sum.write(
            "input_validators/two_numbers.py",
            "import re, sys\ntext = sys.stdin.read()\nif re.fullmatch(r'-?\\d+ -?\\d+\\n', text): sys.exit(42)\n\
             print('line 1: not two numbers', file=sys.stderr)\nsys.exit(43)\n",
        );
        sum.write("submissions/accepted/sum.py", RIGHT);
        sum.write(
            "submissions/accepted/sum.c",
            "#include <stdio.h>\nint main(void) { long a, b; scanf(\"%ld%ld\", &a, &b); printf(\"%ld\\n\", a + b); return 0; }\n",
        );
        sum.write("submissions/wrong_answer/first.py", "print(input().split()[0])\n");
        sum.write("submissions/run_time_error/crash.c", "#include <stdlib.h>\nint main(void) { abort(); }\n");
        sum
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("sum")
    }

    pub fn write(&self, name: &str, contents: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).unwrap();
    }

    /// A file beside the package.
    pub fn beside(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, contents).unwrap();
        path
    }
}

/// The program under test, in a folder.
pub fn touchstone(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
    command.current_dir(folder);
    command
}

/// Standard output of a command that must end with this code.
pub fn stdout(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "stdout: {out}\nstderr: {err}");
    out.into_owned()
}

/// Standard error of a command that must end with 2 and print nothing else.
pub fn complaint(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "stdout: {out}\nstderr: {err}");
    assert_eq!(out, "", "{err}");
    err.into_owned()
}
