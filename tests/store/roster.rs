//! Accounts and teams from files: all of it or nothing, what is there already, and who may.

use touchstone::domain::account::Role;
use touchstone::roster::{RosterFile, Trouble};
use touchstone::service::accounts::AccountError;
use touchstone::service::registration::{InvitationError, Registration};
use touchstone::service::roster_import::{Counts, HELD_MS, ImportError};
use touchstone::store::account;
use touchstone::store::audit::{self, ActFilter};
use touchstone::store::people::{self, PeopleFilter};

use crate::fixture::{Judge, T0, at};

fn file(name: &str, text: &str) -> RosterFile {
    RosterFile { name: name.to_owned(), text: text.to_owned() }
}

fn contest_files() -> Vec<RosterFile> {
    vec![
        file("groups.tsv", "groups\t1\n24\tParticipants\n25\tGuests\n"),
        file(
            "teams.tsv",
            "teams\t1\n1\t447047\t24\tLynx\tLund University\tLU\tSWE\tINST-42\n2\t\t25\tOtter\tLund University\tLU\tSWE\tINST-42\n",
        ),
        file(
            "accounts.tsv",
            "accounts\t1\nteam\tLynx\tteam-001\tP3xm33imve\nteam\tOtter\tteam-002\t\njudge\tJohn Doe\tjohn\t\n",
        ),
    ]
}

#[tokio::test]
async fn a_contests_files_make_everything_and_the_logins_work() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    let plan = judge.service.plan_import(Some(&root), &contest_files()).await.expect("plans");
    assert!(plan.faults.is_empty(), "{:?}", plan.faults);
    assert_eq!((plan.teams.new, plan.groups.new, plan.organizations.new, plan.accounts.len()), (2, 2, 1, 3));
    assert!(account::by_name(judge.store.read(), "john").await.expect("reads").is_none(), "only planned");

    let made = judge.service.import(Some(&root), &contest_files(), T0).await.expect("makes");
    assert_eq!(made.len(), 3);
    assert_eq!(made[0].password.expose(), "P3xm33imve");
    for one in &made {
        judge.service.log_in(&one.username, one.password.expose(), None, T0).await.expect("logs in");
    }
    let filter = PeopleFilter { prefix: Some("team".to_owned()), ..PeopleFilter::default() };
    let people = people::list(judge.store.read(), &filter, 9).await.expect("reads");
    let shown: Vec<_> = people
        .iter()
        .map(|one| (one.name.as_str(), one.team.as_deref(), one.organization.as_deref(), one.groups.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("team-001", Some("Lynx"), Some("LU"), Some("Participants")),
            ("team-002", Some("Otter"), Some("LU"), Some("Guests")),
        ]
    );
    let john = account::by_name(judge.store.read(), "john").await.expect("reads").expect("is there");
    assert_eq!((john.role, john.team_id), (Role::Judge, None));

    // Again, with a change: what is there stays, what differs is changed.
    let mut again = contest_files();
    again[1].text = again[1].text.replace("Otter", "Sea otter");
    let plan = judge.service.plan_import(Some(&root), &again).await.expect("plans");
    assert!(plan.faults.is_empty(), "{:?}", plan.faults);
    assert_eq!(plan.teams, Counts { new: 0, changed: 1, same: 1 });
    assert_eq!((plan.groups.same, plan.accounts.len(), plan.there.len()), (2, 0, 3));
    assert!(judge.service.import(Some(&root), &again, at(1)).await.expect("makes").is_empty());
    let people = people::list(judge.store.read(), &filter, 9).await.expect("reads");
    assert_eq!(people[1].team.as_deref(), Some("Sea otter"));
}

#[tokio::test]
async fn with_any_fault_nothing_is_made_and_all_are_said() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    judge.contestant("ann").await;
    let text = "username,name,role,password,team\n\
        good,Good,,,\n\
        ann,Ann,judge,,\n\
        -bad,,,,\n\
        short,,,1234,\n\
        cat,Cat,,,bob\n\
        bob,Bob,,,\n";
    let files = [
        file("club.csv", text),
        file("accounts.json", "[{\"username\": \"x\", \"type\": \"team\", \"team_id\": \"77\"}]"),
    ];
    let Err(ImportError::Faults(faults)) = judge.service.import(Some(&root), &files, T0).await else {
        panic!("it was taken")
    };
    let said: Vec<_> =
        faults.iter().map(|fault| (fault.place.file.as_str(), fault.place.line, &fault.trouble)).collect();
    assert_eq!(
        said,
        [
            ("accounts.json", 1, &Trouble::NoTeam("77".to_owned())),
            ("club.csv", 3, &Trouble::NameTaken { name: "ann".to_owned(), role: Role::Contestant }),
            ("club.csv", 4, &Trouble::BadUserName("-bad".to_owned())),
            ("club.csv", 5, &Trouble::BadPassword),
            ("club.csv", 7, &Trouble::TeamNameTaken("bob".to_owned())),
        ]
    );
    let people = people::list(judge.store.read(), &PeopleFilter::default(), 9).await.expect("reads");
    assert_eq!(people.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["ann", "root"], "nothing was made");
}

#[tokio::test]
async fn held_files_are_taken_once_by_who_holds_them() {
    let judge = Judge::empty().await;
    let (root, other) = (judge.actor("root", Role::Admin).await, judge.actor("other", Role::Admin).await);
    let service = &judge.service;
    let files = [file("a.csv", "username\nann\nbea\n")];
    let id = service.hold_import(&root, &files, T0).await.expect("holds");
    assert!(matches!(service.held_import(&other, id, T0).await, Err(ImportError::Gone)), "another admin's");
    assert!(matches!(service.take_held(&root, id, T0.plus_ms(HELD_MS + 1)).await, Err(ImportError::Gone)), "too late");
    // Somebody takes a name meanwhile: nothing is made.
    judge.contestant("bea").await;
    let made = service.take_held(&root, id, at(1)).await.expect("makes the rest");
    assert_eq!(made.iter().map(|one| one.username.as_str()).collect::<Vec<_>>(), ["ann"]);
    assert!(matches!(service.take_held(&root, id, at(2)).await, Err(ImportError::Gone)), "once");
    let id = service.hold_import(&root, &files, at(3)).await.expect("holds");
    service.drop_import(&root, id, at(3)).await.expect("drops");
    assert!(matches!(service.take_held(&root, id, at(3)).await, Err(ImportError::Gone)));
    let left: i64 =
        sqlx::query_scalar("select count(*) from roster_import").fetch_one(judge.store.read()).await.expect("reads");
    assert_eq!(left, 0, "passwords in files don't stay");
}

#[tokio::test]
async fn the_last_admin_stays() {
    let judge = Judge::empty().await;
    let (root, second) = (judge.actor("root", Role::Admin).await, judge.actor("second", Role::Admin).await);
    let service = &judge.service;
    service.set_role(Some(&root), "second", Role::Judge, T0).await.expect("there is root");
    let last = |result: Result<(), AccountError>| matches!(result, Err(AccountError::LastAdmin));
    assert!(last(service.set_role(Some(&root), "root", Role::Judge, T0).await));
    assert!(last(service.set_role(None, "root", Role::Contestant, T0).await), "not even the command line");
    assert!(last(service.set_disabled(&root, "root", true, T0).await));
    service.set_role(Some(&root), "root", Role::Admin, T0).await.expect("staying one is no loss");
    service.set_role(Some(&root), "second", Role::Admin, T0).await.expect("makes");
    service.set_disabled(&root, "second", true, T0).await.expect("disables");
    assert!(last(service.set_disabled(&root, "root", true, T0).await), "one that can't log in is no help");
    service.set_disabled(&root, "second", false, T0).await.expect("enables");
    service.set_role(Some(&second), "root", Role::Contestant, T0).await.expect("now there is another");
}

#[tokio::test]
async fn two_admins_at_once_are_told() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    judge.contestant("ann").await;
    let service = &judge.service;
    let seen = Some(Role::Contestant);
    service.change_role(Some(&root), "ann", seen, Role::Setter, T0).await.expect("changes");
    let late = service.change_role(Some(&root), "ann", seen, Role::Judge, T0).await;
    assert!(matches!(late, Err(AccountError::Changed)));
    let open = Some(Registration::Open);
    service.set_registration(Some(&root), open, Registration::Closed, T0).await.expect("sets");
    let late = service.set_registration(Some(&root), open, Registration::Invitation, T0).await;
    assert!(matches!(late, Err(InvitationError::Changed)));
}

#[tokio::test]
async fn registration_is_open_by_invitation_or_closed() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    let service = &judge.service;
    let password = "correct horse".parse().expect("a password");
    let register = async |name: &str, invitation: &str, second: i64| {
        service.register_with(&name.parse().expect("a name"), "", &password, invitation, at(second)).await.map(|_| ())
    };
    register("a", "", 0).await.expect("open at first");
    service.set_registration(Some(&root), None, Registration::Invitation, T0).await.expect("sets");
    assert!(matches!(register("b", "", 0).await, Err(AccountError::RegistrationClosed)));
    assert!(matches!(register("b", "nonsense", 0).await, Err(AccountError::InvitationGone)));
    let (id, token) = service.invite(Some(&root), "class 9b", 2, 1, T0).await.expect("invites");
    register("b", &token, 1).await.expect("the first place");
    assert!(matches!(register("b", &token, 1).await, Err(AccountError::NameTaken(_))), "which takes no place");
    register("c", &token, 1).await.expect("the second place");
    assert!(matches!(register("d", &token, 1).await, Err(AccountError::InvitationGone)), "full");
    assert_eq!(service.invitations(Some(&root), 9).await.expect("reads")[0].used, 2);
    let (_, token) = service.invite(Some(&root), "", 2, 1, T0).await.expect("invites");
    assert!(matches!(register("d", &token, 24 * 60 * 60).await, Err(AccountError::InvitationGone)), "over");
    let (revoked, token) = service.invite(Some(&root), "", 2, 1, T0).await.expect("invites");
    service.revoke_invitation(Some(&root), revoked, T0).await.expect("revokes");
    assert!(matches!(register("d", &token, 1).await, Err(AccountError::InvitationGone)), "taken back");
    service.revoke_invitation(Some(&root), id, T0).await.expect("revokes");
    let again = service.revoke_invitation(Some(&root), id, T0).await;
    assert!(matches!(again, Err(InvitationError::NoSuchInvitation)));
    for (places, days) in [(0, 1), (1, 0), (10_001, 1), (1, 367)] {
        let bad = service.invite(Some(&root), "", places, days, T0).await;
        assert!(matches!(bad, Err(InvitationError::BadInvitation)), "{places} {days}");
    }
    let (_, open) = service.invite(Some(&root), "", 2, 1, T0).await.expect("invites");
    service.set_registration(Some(&root), None, Registration::Closed, T0).await.expect("sets");
    assert!(matches!(register("d", &open, 1).await, Err(AccountError::RegistrationClosed)));
}

#[tokio::test]
async fn a_password_link_works_once_and_ends_sessions() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    let service = &judge.service;
    service
        .register(&"ann".parse().expect("a name"), "", &"correct horse".parse().expect("one"), T0)
        .await
        .expect("made");
    let session =
        service.log_in("ann", "correct horse", None, T0).await.expect("logs in").session().expect("no code is owed");
    let old = service.password_link(Some(&root), "ann", T0).await.expect("makes");
    let token = service.password_link(Some(&root), "ann", T0).await.expect("makes");
    let new = "battery staple".parse().expect("a password");
    assert!(matches!(service.use_password_link(&old, &new, T0).await, Err(AccountError::LinkUsedUp)), "replaced");
    assert!(service.session(&session, T0).await.expect("reads").is_some(), "a link alone changes nothing");
    let late = T0.plus_ms(touchstone::service::people::PASSWORD_LINK_MS);
    assert!(!service.password_link_works(&token, late).await.expect("reads"));
    assert_eq!(service.use_password_link(&token, &new, at(1)).await.expect("sets").name, "ann");
    assert!(matches!(service.use_password_link(&token, &new, at(2)).await, Err(AccountError::LinkUsedUp)));
    assert!(service.session(&session, at(2)).await.expect("reads").is_none());
    service.log_in("ann", "battery staple", None, at(2)).await.expect("logs in");
    let acts = audit::list(
        judge.store.read(),
        &ActFilter { subject: Some("ann".to_owned()), ..ActFilter::default() },
        None,
        9,
    )
    .await
    .expect("reads");
    let acts: Vec<_> = acts.iter().map(|act| (act.act.as_str(), act.actor.as_deref())).collect();
    assert_eq!(
        acts,
        [
            ("account.password", Some("ann")),
            ("account.password_link", Some("root")),
            ("account.password_link", Some("root"))
        ]
    );
}

#[tokio::test]
async fn the_log_is_filtered_along_its_indexes() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    judge.contestant("ann").await;
    let service = &judge.service;
    for (second, role) in [(1, Role::Setter), (2, Role::Judge), (3, Role::Contestant)] {
        service.set_role(Some(&root), "ann", role, at(second)).await.expect("changes");
    }
    service.set_role(None, "ann", Role::Judge, at(4)).await.expect("changes");
    service.sign_out(Some(&root), "ann", at(5)).await.expect("ends");
    let found = async |filter: ActFilter, before: Option<i64>| -> Vec<i64> {
        let acts = audit::list(judge.store.read(), &filter, before, 9).await.expect("reads");
        acts.iter().map(|act| act.at.since(T0) / 1_000).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let none = ActFilter::default;
    assert_eq!(found(none(), None).await, [5, 4, 3, 2, 1]);
    assert_eq!(found(ActFilter { actor: text("root"), ..none() }, None).await, [5, 3, 2, 1]);
    assert_eq!(found(ActFilter { actor: text(""), ..none() }, None).await, [4], "the command line");
    assert_eq!(found(ActFilter { actor: text("nobody"), ..none() }, None).await, [0_i64; 0]);
    assert_eq!(found(ActFilter { act: text("account.sign_out"), ..none() }, None).await, [5]);
    assert_eq!(found(ActFilter { from: Some(at(2)), until: Some(at(4)), ..none() }, None).await, [3, 2]);
    assert_eq!(
        found(ActFilter { subject: text("ann"), act: text("account.role"), from: Some(at(2)), ..none() }, None).await,
        [4, 3, 2]
    );
    assert_eq!(found(ActFilter { actor: text("root"), subject: text("ann"), ..none() }, Some(3)).await, [2, 1]);
    assert_eq!(audit::kinds(judge.store.read()).await.expect("reads"), ["account.role", "account.sign_out"]);
}
