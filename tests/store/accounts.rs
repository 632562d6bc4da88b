//! Accounts, sessions and the first admin's link.

use touchstone::domain::account::{NewPassword, Role, UserName};
use touchstone::service::accounts::AccountError;
use touchstone::service::sessions::{LogInError, SESSION_MS};
use touchstone::store::account;

use crate::fixture::{Judge, T0, at};

fn name(text: &str) -> UserName {
    text.parse().expect("a name")
}

fn password(text: &str) -> NewPassword {
    text.parse().expect("a password")
}

#[tokio::test]
async fn somebody_registers_logs_in_and_out() {
    let judge = Judge::empty().await;
    let service = &judge.service;
    service.register(&name("Ann"), " Ann A. ", &password("correct horse"), T0).await.expect("registers");
    let taken = service.register(&name("ann"), "", &password("correct horse"), T0).await;
    assert!(matches!(taken, Err(AccountError::NameTaken(_))), "names differ by more than case");

    let wrong = service.log_in("ann", "wrong horse", None, T0).await;
    assert!(matches!(wrong, Err(LogInError::Wrong)));
    assert!(matches!(service.log_in("nobody", "wrong horse", None, T0).await, Err(LogInError::Wrong)));

    let token =
        service.log_in("ANN", "correct horse", None, T0).await.expect("logs in").session().expect("no code is owed");
    let session = service.session(&token, at(1)).await.expect("reads").expect("lives");
    assert_eq!((session.actor.name.as_str(), session.actor.display_name.as_str()), ("Ann", "Ann A."));
    assert_eq!(session.actor.role, Role::Contestant);
    assert!(session.actor.team_id.is_some());
    assert_ne!(session.csrf, token);
    let again = service.session(&token, at(2)).await.expect("reads").expect("lives");
    assert_eq!(again.csrf, session.csrf);
    assert_eq!(service.session("someone else's", at(1)).await.expect("reads"), None);

    service.log_out(&token).await.expect("logs out");
    assert_eq!(service.session(&token, at(3)).await.expect("reads"), None);
}

#[tokio::test]
async fn sessions_end_unless_they_are_used() {
    let judge = Judge::empty().await;
    let service = &judge.service;
    service.register(&name("ann"), "", &password("correct horse"), T0).await.expect("registers");
    let token =
        service.log_in("ann", "correct horse", None, T0).await.expect("logs in").session().expect("no code is owed");
    let almost = T0.plus_ms(SESSION_MS - 1);
    assert!(service.session(&token, almost).await.expect("reads").is_some());
    assert!(service.session(&token, almost.plus_ms(SESSION_MS - 1)).await.expect("reads").is_some());
    assert!(service.session(&token, almost.plus_ms(3 * SESSION_MS)).await.expect("reads").is_none());
}

#[tokio::test]
async fn a_new_password_and_a_disabling_end_all_sessions() {
    let judge = Judge::empty().await;
    let service = &judge.service;
    service.register(&name("ann"), "", &password("correct horse"), T0).await.expect("registers");
    let token =
        service.log_in("ann", "correct horse", None, T0).await.expect("logs in").session().expect("no code is owed");
    let actor = service.session(&token, T0).await.expect("reads").expect("lives").actor;
    let refused = service.change_password(&actor, "wrong", &password("battery staple"), T0).await;
    assert!(matches!(refused, Err(AccountError::WrongPassword)));
    service.change_password(&actor, "correct horse", &password("battery staple"), T0).await.expect("changes");
    assert_eq!(service.session(&token, T0).await.expect("reads"), None);

    let token =
        service.log_in("ann", "battery staple", None, T0).await.expect("logs in").session().expect("no code is owed");
    let root = judge.actor("root", Role::Admin).await;
    assert!(matches!(service.set_disabled(&actor, "ann", true, T0).await, Err(AccountError::Forbidden(_))));
    service.set_disabled(&root, "ann", true, T0).await.expect("disables");
    assert_eq!(service.session(&token, T0).await.expect("reads"), None);
    assert!(matches!(service.log_in("ann", "battery staple", None, T0).await, Err(LogInError::Wrong)));
}

#[tokio::test]
async fn the_first_admins_link_works_once() {
    let judge = Judge::empty().await;
    let service = &judge.service;
    let old = service.first_admin_link(T0).await.expect("makes").expect("there is no admin");
    let token = service.first_admin_link(T0).await.expect("makes").expect("there is no admin");
    let replaced = service.set_first_admin(&old, &name("root"), &password("correct horse"), T0).await;
    assert!(matches!(replaced, Err(AccountError::LinkUsedUp)));
    let late = at(2 * 24 * 60 * 60);
    assert!(!service.first_admin_link_works(&token, late).await.expect("reads"));

    judge.contestant("ann").await;
    let taken = service.set_first_admin(&token, &name("ann"), &password("correct horse"), T0).await;
    assert!(matches!(taken, Err(AccountError::NameTaken(_))));
    service.set_first_admin(&token, &name("root"), &password("correct horse"), T0).await.expect("the link still works");
    let again = service.set_first_admin(&token, &name("root2"), &password("correct horse"), T0).await;
    assert!(matches!(again, Err(AccountError::LinkUsedUp)));
    assert_eq!(service.first_admin_link(T0).await.expect("reads"), None);
    let root = account::by_name(judge.store.read(), "root").await.expect("reads").expect("is there");
    assert_eq!(root.role, Role::Admin);
    service.log_in("root", "correct horse", None, T0).await.expect("logs in");
}

#[tokio::test]
async fn the_command_line_makes_accounts_of_any_role() {
    let judge = Judge::empty().await;
    let service = &judge.service;
    service.create_user(&name("head"), Role::Judge, None, T0).await.expect("makes");
    assert!(matches!(service.log_in("head", "", None, T0).await, Err(LogInError::Wrong)));
    service.reset_password("head", &password("correct horse"), T0).await.expect("sets");
    service.log_in("head", "correct horse", None, T0).await.expect("logs in");
    service.create_user(&name("root"), Role::Admin, Some(&password("correct horse")), T0).await.expect("makes");
    assert_eq!(service.first_admin_link(T0).await.expect("reads"), None, "there is an admin");
    let acts =
        touchstone::store::audit::list(judge.store.read(), &touchstone::store::audit::ActFilter::default(), None, 10)
            .await
            .expect("reads");
    let acts: Vec<_> = acts.iter().map(|act| (act.act.as_str(), act.subject.as_str())).collect();
    assert_eq!(acts, [("account.create", "root"), ("account.password", "head"), ("account.create", "head")]);
}
