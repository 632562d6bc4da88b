//! What `--help` teaches, kept as snapshots so that a change of it is seen.

use rstest::rstest;

use crate::package::{stdout, touchstone};

#[rstest]
#[case("touchstone", &[])]
#[case("serve", &["serve"])]
#[case("judge", &["judge"])]
#[case("problem", &["problem"])]
#[case("problem-verify", &["problem", "verify"])]
#[case("problem-answers", &["problem", "answers"])]
#[case("problem-stress", &["problem", "stress"])]
#[case("problem-new", &["problem", "new"])]
#[case("problem-import", &["problem", "import"])]
#[case("problem-export", &["problem", "export"])]
#[case("problem-publish", &["problem", "publish"])]
#[case("check", &["check"])]
#[case("user-create", &["user", "create"])]
#[case("account", &["account"])]
#[case("account-import", &["account", "import"])]
#[case("account-token", &["account", "token"])]
#[case("problem-checker", &["problem", "checker"])]
#[case("problem-fetch", &["problem", "fetch"])]
#[case("team", &["team"])]
#[case("team-edit", &["team", "edit"])]
#[case("test", &["test"])]
#[case("test-add", &["test", "add"])]
#[case("message", &["message"])]
#[case("health", &["health"])]
#[case("rejudge", &["rejudge"])]
#[case("rejudge-start", &["rejudge", "start"])]
#[case("doctor", &["doctor"])]
#[case("backup", &["backup"])]
#[case("restore", &["restore"])]
#[case("receipt-verify", &["receipt", "verify"])]
fn help_teaches(#[case] name: &str, #[case] command: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let mut touchstone = touchstone(folder.path());
    for variable in ["LISTEN", "DATA", "WORKERS", "BEHIND_TLS", "CONFIG", "TRUSTED_PROXIES", "NO_BUILTIN_PROBLEMS"] {
        touchstone.env_remove(format!("TOUCHSTONE_{variable}"));
    }
    insta::assert_snapshot!(name, stdout(touchstone.args(command).arg("--help"), 0));
}
