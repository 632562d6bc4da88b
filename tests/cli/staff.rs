//! The admin's desk from the command line: people, registration, the log, rejudgings.

use std::fs;

use assert_cmd::Command;

use crate::package::{stdout, touchstone};

fn command(folder: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = touchstone(folder);
    command.env("TOUCHSTONE_DATA", folder.join("data")).args(arguments);
    command
}

#[test]
fn people_are_made_changed_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |arguments: &[&str]| stdout(&mut command(folder, arguments), 0);
    let nowhere = command(folder, &["account", "list"]).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("there is no judge in"));
    let mut root = command(folder, &["user", "create", "root", "--role", "admin", "--password-stdin"]);
    root.write_stdin("a long password\n").assert().success();

    fs::write(folder.join("bad.csv"), "username,role\n-x,\nann,king\n").unwrap();
    let bad = command(folder, &["account", "import", "bad.csv"]).output().unwrap();
    let said = String::from_utf8_lossy(&bad.stderr).into_owned();
    assert_eq!(bad.status.code(), Some(1), "{said}");
    assert!(
        said.contains("bad.csv:2: `-x`") && said.contains("bad.csv:3: `king`") && said.contains("nothing was made")
    );

    fs::write(folder.join("good.csv"), "username,role,team\nann,,\"Lynx, red\"\njo,judge,\n").unwrap();
    let plan = run(&["account", "import", "good.csv", "--dry-run"]);
    assert!(plan.starts_with("accounts: 2 new, 0 as they are\nteams: 1 new"), "{plan}");
    let made = run(&["account", "import", "good.csv"]);
    let lines: Vec<&str> = made.lines().collect();
    assert_eq!(lines[0], "username,password,role,team");
    assert!(lines[1].starts_with("ann,") && lines[1].ends_with(",contestant,\"Lynx, red\""), "{made}");
    assert!(run(&["account", "list"]).contains("Lynx, red"));
    assert!(run(&["account", "list", "a", "--json"]).contains("\"name\":\"ann\""));

    assert_eq!(run(&["account", "role", "ann", "setter"]), "ann: setter\n");
    assert_eq!(run(&["account", "disable", "ann"]), "ann: disabled\n");
    assert_eq!(run(&["account", "enable", "ann"]), "ann: enabled\n");
    assert_eq!(run(&["account", "sign-out", "ann"]), "ann: 0 sessions ended\n");
    assert_eq!(run(&["account", "reset-second-step", "ann"]), "ann: there was no second step\n");
    assert_eq!(run(&["account", "second-step"]), "second step for staff: choice\n");
    assert_eq!(run(&["account", "second-step", "must"]), "second step for staff: must\n");
    assert_eq!(run(&["account", "second-step"]), "second step for staff: must\n");
    assert!(run(&["account", "password-link", "ann"]).starts_with("/password/"));
    let last = command(folder, &["account", "role", "root", "judge"]).output().unwrap();
    assert!(last.status.code() == Some(2) && String::from_utf8_lossy(&last.stderr).contains("the last admin"));
    assert_eq!(run(&["account", "registration"]), "registration: open\n");
    assert_eq!(run(&["account", "registration", "closed"]), "registration: closed\n");
    assert!(run(&["account", "invite", "--places", "3", "--note", "9b"]).starts_with("/register?invitation="));
    assert!(run(&["account", "invitations"]).contains("0 of 3"));
    run(&["account", "revoke", "1"]);
    let log = run(&["account", "log", "--subject", "ann"]);
    let acts: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["act"].as_str().unwrap().to_owned())
        .collect();
    let wanted = [
        "account.password_link",
        "second_step.reset",
        "account.sign_out",
        "account.enable",
        "account.disable",
        "account.role",
        "account.create",
    ];
    assert_eq!(acts, wanted);
}

#[test]
fn teams_are_made_changed_and_filled() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |arguments: &[&str]| stdout(&mut command(folder, arguments), 0);
    for (name, role) in [("root", "admin"), ("ann", "contestant")] {
        let mut made = command(folder, &["user", "create", name, "--role", role, "--password-stdin"]);
        made.write_stdin("a long password\n").assert().success();
    }
    assert_eq!(run(&["team", "organization", "create", "Hill", "--id", "hill", "--country", "NOR"]), "hill: made\n");
    assert_eq!(run(&["team", "group", "create", "Juniors"]), "1: made\n");
    let made = run(&["team", "create", "Lynx", "--label", "12", "--organization", "hill", "--groups", "1"]);
    assert_eq!(made, "Lynx: made\n");
    assert_eq!(run(&["team", "join", "Lynx", "ann"]), "ann: hands in for Lynx\n");
    assert_eq!(run(&["team", "edit", "Lynx", "--name", "Red Lynx", "--hidden", "true"]), "Red Lynx: changed\n");
    let shown = run(&["team", "show", "Red Lynx"]);
    for line in ["label         12", "organization  hill", "groups        1", "hidden        true", "member        ann"]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(run(&["team", "list", "--group", "1"]).lines().count(), 1);
    assert!(run(&["team", "list", "red", "--json"]).contains("\"member_count\":1"));
    assert_eq!(run(&["team", "disable", "Red Lynx"]), "Red Lynx: disabled\n");
    assert_eq!(run(&["team", "enable", "Red Lynx"]), "Red Lynx: enabled\n");
    assert_eq!(run(&["team", "leave", "Red Lynx", "ann"]), "ann: hands in for nobody\n");
    run(&["team", "group", "edit", "1", "--hidden", "true"]);
    assert!(run(&["team", "group", "list"]).ends_with("1 teams  Juniors  hidden\n"));
    run(&["team", "organization", "edit", "hill", "--formal-name", "Hill School"]);
    assert!(run(&["team", "organization", "list", "--json"]).contains("\"formal_name\":\"Hill School\""));
    for (arguments, sentence) in [
        (&["team", "show", "Owls"][..], "there is no team `Owls`"),
        (&["team", "create", "Red Lynx"], "another team is called `Red Lynx`"),
        (&["team", "create", "Owls", "--groups", "9"], "there is no group with the id `9`"),
        (&["team", "join", "Red Lynx", "bob"], "there is no account `bob`"),
        (&["team", "organization", "edit", "vale"], "there is no organization with the id `vale`"),
        (&["team", "group", "delete", "1"], "`Juniors` still has teams (1); take them out first"),
        (&["team", "organization", "delete", "vale"], "there is no organization with the id `vale`"),
    ] {
        let output = command(folder, arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(sentence), "{arguments:?}: {said}");
    }
    run(&["team", "edit", "Red Lynx", "--groups", "", "--organization", ""]);
    assert_eq!(run(&["team", "group", "delete", "1"]), "1: deleted\n");
    assert_eq!(run(&["team", "organization", "delete", "hill"]), "hill: deleted\n");
    assert_eq!(run(&["team", "group", "list"]), "");
}

#[test]
fn a_rejudging_needs_something_to_judge() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut root = command(folder, &["user", "create", "root", "--role", "admin", "--password-stdin"]);
    root.write_stdin("a long password\n").assert().success();
    assert_eq!(stdout(&mut command(folder, &["rejudge", "list"]), 0), "");
    for (arguments, sentence) in [
        (&["rejudge", "start"][..], "choose at least one of"),
        (&["rejudge", "start", "--problem", "nosuch"], "there is no problem `nosuch`"),
        (&["rejudge", "start", "--verdict", "JE"], "nothing to judge again"),
        (&["rejudge", "start", "--from", "soon"], "is no moment"),
        (&["rejudge", "show", "7"], "there is no rejudging 7"),
        (&["rejudge", "apply", "7"], "there is no rejudging 7"),
        (&["rejudge", "drop", "7"], "there is no rejudging 7"),
        (&["rejudge", "undo", "7"], "there is no rejudging 7"),
    ] {
        let output = command(folder, arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(sentence), "{arguments:?}: {said}");
    }
}

#[test]
fn the_desk_is_there_without_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |arguments: &[&str]| stdout(&mut command(folder, arguments), 0);
    let refused = |arguments: &[&str]| {
        let output = command(folder, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let make = |name: &str, role: &str| {
        let mut made = command(folder, &["user", "create", name, "--role", role, "--password-stdin"]);
        made.write_stdin("a long password\n").assert().success();
    };
    make("sue", "setter");
    assert!(refused(&["problem", "create", "sum"]).contains("no admin yet"));
    make("root", "admin");
    assert!(run(&["problem", "create", "sum"]).contains("sum: offered"));
    assert!(refused(&["problem", "create", "sum"]).contains("already"));
    assert!(refused(&["problem", "create", "No"]).contains("can't be a problem's short name"));
    assert!(run(&["problem", "list"]).starts_with("sum "));
    let shown: serde_json::Value = serde_json::from_str(&run(&["problem", "show", "sum"])).unwrap();
    assert_eq!(shown["versions"][0]["created_by"], "root", "{shown}");
    for (arguments, sentence) in [
        (&["problem", "limits", "sum", "--cpu-ms", "1", "--memory-mib", "1"][..], "no version that is ready"),
        (&["problem", "checker", "sum", "--case-sensitive"], "no version that is ready"),
        (&["problem", "languages", "sum", "--allow", "cpp20"], "no version that is ready"),
        (&["problem", "withdraw", "sum"], "no version that is ready"),
        (&["problem", "recheck", "sum"], "nothing to verify"),
        (&["problem", "restore", "sum", "--version", "9"], "no version 9"),
        (&["problem", "withdraw", "nosuch"], "there is no problem `nosuch`"),
        (&["problem", "withdraw", "sum", "--as", "sue"], "this needs the role admin"),
        (&["problem", "show", "sum", "--as", "bob"], "no account `bob`"),
        (&["test", "list", "sum"], "no version that is ready"),
        (&["test", "generate", "sum", "numbers 1"], "no version that is ready"),
        (&["test", "delete", "nosuch", "secret/1"], "there is no problem `nosuch`"),
        (&["message", "announce", "nosuch", "hello"], "there is no contest `nosuch`"),
    ] {
        let said = refused(arguments);
        assert!(said.contains(sentence), "{arguments:?}: {said}");
    }
    assert_eq!(run(&["problem", "fetch", "sum", "--version", "1", "-o", "sum.zip"]).split(',').count(), 2);
    assert_eq!(fs::read(folder.join("sum.zip")).unwrap()[..2], *b"PK");
    assert_eq!(run(&["message", "keep", "Read it."]), "kept\n");
    assert_eq!(run(&["message", "canned"]), "   1  Read it.\n");
    run(&["message", "forget", "1"]);
    assert!(run(&["health"]).contains("1 wait, 0 run"));
    let health: serde_json::Value = serde_json::from_str(&run(&["health", "--json"])).unwrap();
    assert_eq!(health["queue"][0]["queued"], 1, "{health}");
    make("rob", "admin");
    assert!(refused(&["health"]).contains("say for whom with --as; the admins are rob, root"));
    assert!(run(&["account", "token", "rob", "--manage"]).starts_with("touchstone_"));
    let log = run(&["account", "log", "--actor", "root"]);
    assert!(log.contains("package.offer") && log.contains("canned_answer.drop"), "{log}");
}
