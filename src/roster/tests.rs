//! Every format by an example, and every fault by a bad row.

use rstest::rstest;

use super::*;

fn file(name: &str, text: &str) -> RosterFile {
    RosterFile { name: name.to_owned(), text: text.to_owned() }
}

fn read_one(name: &str, text: &str) -> (Roster, Vec<(usize, Trouble)>) {
    let (roster, faults) = read(&[file(name, text)]);
    (roster, faults.into_iter().map(|fault| (fault.place.line, fault.trouble)).collect())
}

#[test]
fn a_csv_makes_what_it_names() {
    let text = "\u{feff}UserName;Name;team;organization;group;role;password\r\n\
        ann;\"Ann \"\"A\"\" Ames\";Lynx;Hill School;Juniors;;\r\n\
        \r\n\
        bea;Bea;Lynx;Hill School;Juniors;contestant;correct horse\r\n\
        jo;Jo;;;;judge;\r\n\
        sid;;;;;;\r\n";
    let (roster, faults) = read_one("club.csv", text);
    assert_eq!(faults, []);
    let accounts: Vec<_> = roster
        .accounts
        .iter()
        .map(|one| (one.place.line, one.username.as_str(), one.name.as_deref(), one.role, one.password.is_some()))
        .collect();
    assert_eq!(
        accounts,
        [
            (2, "ann", Some("Ann \"A\" Ames"), Role::Contestant, false),
            (4, "bea", Some("Bea"), Role::Contestant, true),
            (5, "jo", Some("Jo"), Role::Judge, false),
            (6, "sid", None, Role::Contestant, false),
        ]
    );
    let teams: Vec<_> = roster.accounts.iter().map(|one| one.team.clone()).collect();
    let lynx = TeamOf::Id("Lynx".to_owned());
    assert_eq!(teams, [lynx.clone(), lynx, TeamOf::Nobody, TeamOf::Own]);
    assert_eq!((roster.teams.len(), roster.organizations.len(), roster.groups.len()), (1, 1, 1));
    assert_eq!(roster.teams[0].organization.as_deref(), Some("Hill-School"));
    assert_eq!(roster.teams[0].groups, ["Juniors"]);
}

#[test]
fn the_icpcs_tab_separated_files_are_read_together() {
    let (roster, faults) = read(&[
        file("groups.tsv", "File_Version\t1\n13337\tCompanies\n24\tParticipants\n"),
        file(
            "teams2.tsv",
            "File_Version\t2\n1\t447047\t24\t¡i¡i¡\tLund University\tLU\tSWE\tINST-42\n2\t\t24\tNo FAU\tErlangen\tFAU\tDEU\tINST-43\n",
        ),
        file(
            "accounts.tsv",
            "accounts\t1\nteam\tteam001\tteam001\tP3xm33imve\njudge\tJohn Doe\tjohn\tUf4PYRA7mJ\nanalyst\tAna\tana\tUf4PYRA7mJ\n",
        ),
        file("institutions.tsv", "institutions\t1\nINST-U-0861\tHarvard University\tHarvard\n"),
    ]);
    assert_eq!(faults, []);
    assert_eq!(roster.groups.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Companies", "Participants"]);
    let team = &roster.teams[0];
    assert_eq!(
        (team.external_id.as_str(), team.icpc_id.as_deref(), team.name.as_str()),
        ("1", Some("447047"), "¡i¡i¡")
    );
    assert_eq!((team.organization.as_deref(), &team.groups[..]), (Some("INST-42"), &["24".to_owned()][..]));
    let lund = &roster.organizations[0];
    assert_eq!(
        (lund.name.as_str(), lund.formal_name.as_deref(), lund.country.as_deref()),
        ("LU", Some("Lund University"), Some("SWE"))
    );
    let teams: Vec<_> = roster.accounts.iter().map(|one| (one.role, one.team.clone())).collect();
    assert_eq!(
        teams,
        [(Role::Contestant, TeamOf::Number(1)), (Role::Judge, TeamOf::Nobody), (Role::Contestant, TeamOf::Nobody),]
    );
    assert_eq!(roster.accounts[2].odd_type.as_deref(), Some("analyst"));
}

#[test]
fn clicss_json_is_read_by_name_or_by_its_fields() {
    let (roster, faults) = read(&[
        file("a.json", r#"[{"id": "13337", "name": "Companies", "hidden": true}]"#),
        file(
            "organizations.json",
            r#"[{"id": "INST-42", "name": "LU", "formal_name": "Lund University", "country": "SWE"}]"#,
        ),
        file(
            "b.json",
            r#"[{"id": 1, "icpc_id": "447047", "group_ids": [24], "name": "x", "label": "A1", "organization_id": "INST-42"}]"#,
        ),
        file(
            "accounts.json",
            "[\n{\"id\": \"t1\", \"username\": \"t1\", \"password\": \"correct horse\", \"type\": \"team\", \"team_id\": \"1\"},\n{\"username\": \"root\", \"type\": \"admin\"}]",
        ),
    ]);
    assert_eq!(faults, []);
    assert!(roster.groups[0].hidden);
    assert_eq!((roster.teams[0].external_id.as_str(), &roster.teams[0].groups[..]), ("1", &["24".to_owned()][..]));
    assert_eq!(roster.accounts.iter().map(|one| one.place.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(roster.accounts[0].team, TeamOf::Id("1".to_owned()));
}

#[rstest]
#[case::nothing("a.csv", " \n", &[(0, Trouble::Empty)])]
#[case::prose("notes.txt", "hello there\n", &[(1, Trouble::UnknownKind)])]
#[case::column("a.csv", "username,pass\nx,y\n", &[(1, Trouble::UnknownColumn("pass".to_owned()))])]
#[case::column_twice("a.csv", "username,name,name\n", &[(1, Trouble::ColumnTwice("name".to_owned()))])]
#[case::no_user_name("a.csv", "name,role\nx,judge\n", &[(1, Trouble::NoUserName)])]
#[case::all_at_once("a.csv", "username,role,password\n-x,judge,\nann,king,short\nbea,judge\nann2,judge,\"x\n", &[
    (2, Trouble::BadUserName("-x".to_owned())),
    (3, Trouble::BadRole("king".to_owned())),
    (3, Trouble::BadPassword),
    (4, Trouble::Fields { found: 2, wanted: 3 }),
    (5, Trouble::Quotes),
])]
#[case::twice("a.csv", "username,role\nann,\nANN,\n", &[(3, Trouble::Twice { file: "a.csv".to_owned(), line: 2 })])]
#[case::version("x.tsv", "teams\t3\n1\t\t\tx\n", &[(1, Trouble::BadVersion("teams\u{fffd}3".to_owned()))])]
#[case::unnamed("x.tsv", "File_Version\t1\n1\tx\n", &[(1, Trouble::UnknownKind)])]
#[case::short_row("x.tsv", "teams\t1\n1\tx\n", &[(2, Trouble::Fields { found: 2, wanted: 4 })])]
#[case::bad_id("x.tsv", "groups\t1\na b\tx\n", &[(2, Trouble::BadId { column: "group id", text: "a b".to_owned() })])]
#[case::not_a_name("x.tsv", "groups\t1\n1\t\n", &[(2, Trouble::Fields { found: 1, wanted: 2 })])]
#[case::no_object("teams.json", "[\n1]", &[(2, Trouble::Json("not an object".to_owned()))])]
#[case::no_login("accounts.json", "[{}]", &[(1, Trouble::Missing("username"))])]
#[case::odd_json("x.json", "[{\"id\": \"1\"}]", &[(1, Trouble::UnknownKind)])]
fn what_is_wrong_is_said_with_its_line(#[case] name: &str, #[case] text: &str, #[case] wanted: &[(usize, Trouble)]) {
    assert_eq!(read_one(name, text).1, wanted);
}

#[test]
fn a_broken_json_says_where() {
    let (_, faults) = read_one("teams.json", "[\n{\"id\": }]");
    assert!(matches!(&faults[..], [(2, Trouble::Json(_))]), "{faults:?}");
}

proptest::proptest! {
    /// Whatever somebody sends: no panic, and no row and fault share more than a file.
    #[test]
    fn nothing_breaks_the_reader(name in "[a-z]{0,12}\\.(csv|tsv|json)", text in "(?s).{0,300}") {
        let (roster, faults) = read(&[file(&name, &text)]);
        for account in &roster.accounts {
            proptest::prop_assert!(account.place.line >= 1 && account.name.as_deref().is_none_or(|name| !name.contains('\n')));
        }
        proptest::prop_assert!(!roster.is_empty() || !faults.is_empty() || text.lines().count() <= 1 || text.trim_start().starts_with('['));
    }
}
