//! `touchstone problem publish`: a package goes to a judge, whose server verifies it before it counts.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::package::{RIGHT, Sum, complaint, stdout, touchstone};

/// A server that ends with the test.
struct Serving(Child);

impl Serving {
    /// Starts it and waits until it is up.
    #[expect(clippy::disallowed_methods, reason = "the real server is started")]
    fn on(data: &std::path::Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_touchstone"))
            .args(["serve", "--listen", "127.0.0.1:0", "--no-builtin-problems", "--workers", "2", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(said.any(|line| line.starts_with("Touchstone serves on ")), "the server doesn't come up");
        // The pipe is drained, so that the server can go on talking.
        std::thread::spawn(move || said.for_each(drop));
        Self(child)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_package_counts_when_it_holds_and_leaves_the_one_before_when_it_does_not() {
    let sum = Sum::new();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let command = |arguments: &[&str]| {
        let mut command = touchstone(folder.path());
        command.env("TOUCHSTONE_DATA", &data).args(arguments);
        command
    };
    let publish = |arguments: &[&str]| {
        let mut command = command(&["problem", "publish"]);
        command.arg(sum.path()).args(arguments);
        command
    };
    assert!(complaint(&mut publish(&[])).contains("there is no judge in"));
    let mut root = command(&["user", "create", "root", "--role", "admin", "--password-stdin"]);
    root.write_stdin("a long password\n").assert().success();

    // Nobody is there to verify it.
    assert_eq!(stdout(&mut publish(&[]), 0), "sum: offered; the judge publishes it when it is verified\n");
    let _server = Serving::on(&data);
    assert_eq!(stdout(&mut publish(&["--wait"]), 0), "sum: published\n");

    // A wrong program that no test rejects.
    sum.write("submissions/wrong_answer/right.py", RIGHT);
    let refused: Value = serde_json::from_str(&stdout(&mut publish(&["--wait", "--json"]), 1)).unwrap();
    assert_eq!((&refused["problem"], &refused["state"]), (&"sum".into(), &"refused".into()), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("right.py"), "{refused}");
    let shown: Value = serde_json::from_str(&stdout(&mut command(&["problem", "show", "sum"]), 0)).unwrap();
    assert_eq!((&shown["version"], shown["versions"].as_array().map(Vec::len)), (&1.into(), Some(2)), "{shown}");
}
