//! Teams, groups and organizations, one by one: made, found, changed, filled, hidden, disabled, deleted.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::store::audit::{self, ActFilter};

use crate::contests::made;
use crate::world::{Browser, Part, TestApp};

/// What stands in the form's hidden field.
fn seen(page: &str) -> String {
    page.split("name=\"seen\" value=\"").nth(1).expect("a form").split('"').next().unwrap().to_owned()
}

async fn new_team(root: &mut Browser, fields: &[(&str, &str)]) -> String {
    let answer = root.post("/admin/teams", fields).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    answer.location().to_owned()
}

async fn acts(app: &TestApp) -> Vec<(String, String, String, String)> {
    let acts = audit::list(app.store.read(), &ActFilter::default(), None, 1_000).await.unwrap();
    let text = |text: Option<String>| text.unwrap_or_default();
    acts.into_iter().map(|act| (act.act, act.subject, text(act.before), text(act.after))).collect()
}

#[tokio::test]
async fn a_team_is_made_changed_and_filled() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    app.contestant("ann").await;
    assert_eq!(
        root.post("/admin/organizations", &[("name", "Hill"), ("id", "hill"), ("country", "nor")]).await.location(),
        "/admin/organizations/hill"
    );
    assert_eq!(root.post("/admin/groups", &[("name", "Juniors"), ("id", "")]).await.location(), "/admin/groups/1");
    let form = root.get("/admin/teams/new").await.body;
    assert!(form.contains("<option value=\"hill\">Hill</option>") && form.contains("name=\"group-1\""), "{form}");
    let fields = [("name", "Lynx"), ("label", "12"), ("organization", "hill"), ("group-1", "1"), ("external_id", "x7")];
    let page = new_team(&mut root, &fields).await;
    let shown = root.get(&page).await.body;
    assert!(
        shown.contains("<option value=\"hill\" selected>") && shown.contains("name=\"group-1\" value=\"1\" checked")
    );
    assert!(shown.contains("Nobody hands in for this team yet."));

    // Who joins leaves the team it was in; a team of its own stays with what it handed in.
    let members = format!("{page}/members");
    assert_eq!(root.post(&members, &[("join", "ANN")]).await.location(), page);
    assert!(root.get(&page).await.body.contains("<bdi>ann</bdi>"));
    let nobody = root.post(&members, &[("join", "zoe")]).await;
    assert!(nobody.status == StatusCode::UNPROCESSABLE_ENTITY && nobody.body.contains("There is no account “zoe”."));
    let stranger = root.post(&members, &[("leave", "root")]).await;
    assert!(stranger.status == StatusCode::CONFLICT && stranger.body.contains("“root” is not in this team."));
    root.post(&format!("{page}/disabled"), &[("disabled", "1")]).await;
    let log_in = [("name", "ann"), ("password", "correct horse"), ("next", "/")];
    assert_ne!(app.browser().post("/login", &log_in).await.status, StatusCode::SEE_OTHER);
    assert!(root.get("/admin/teams").await.body.contains("data-state=\"bad\">disabled"));
    root.post(&format!("{page}/disabled"), &[]).await;
    assert_eq!(app.browser().post("/login", &log_in).await.status, StatusCode::SEE_OTHER);
    root.post(&members, &[("leave", "ann")]).await;

    // Names and ids that others have, and those that can't be used, come back with what was typed.
    for (fields, status, words) in [
        ([("name", "Lynx"), ("external_id", "")], 409, "Another team is called “Lynx”."),
        ([("name", "Owls"), ("external_id", "x7")], 409, "The id “x7” is taken."),
        ([("name", "Owls"), ("external_id", "a b")], 422, "“a b” can’t be an id or a label"),
        ([("name", " "), ("external_id", "a")], 422, "A name has 1 to 120 characters."),
        ([("name", "Owls"), ("organization", "none")], 422, "There is no organization with the id “none”."),
        ([("name", "Owls"), ("groups", "1, 9")], 422, "There is no group with the id “9”."),
    ] {
        let answer = root.post("/admin/teams", &fields).await;
        assert_eq!(answer.status.as_u16(), status, "{fields:?}");
        assert!(answer.body.contains(words), "{words}: {}", answer.body);
        assert!(fields[0].1 == " " || answer.body.contains(&format!("value=\"{}\"", fields[0].1)));
    }
    let bad = root.post("/admin/organizations", &[("name", "X"), ("country", "Norway")]).await;
    assert!(
        bad.status == StatusCode::UNPROCESSABLE_ENTITY && bad.body.contains("“NORWAY” is no country."),
        "{}",
        bad.body
    );
    assert_eq!(root.post("/admin/groups", &[("name", "Others"), ("id", "1")]).await.status, StatusCode::CONFLICT);
    assert_eq!(root.get("/admin/teams/999").await.status, StatusCode::NOT_FOUND);
    let told = acts(&app).await;
    let of = |act: &str| told.iter().find(|one| one.0 == act).unwrap_or_else(|| panic!("{act}: {told:?}")).clone();
    assert_eq!(of("team.join"), ("team.join".into(), "ann".into(), "ann".into(), "Lynx".into()));
    assert_eq!(of("team.leave"), ("team.leave".into(), "ann".into(), "Lynx".into(), String::new()));
    assert_eq!(of("team.disable").3, "1 of 1 members disabled");
    assert_eq!(of("team.create").1, "Lynx");
    assert!(of("organization.create").3.contains("country=\"NOR\""), "{told:?}");
}

#[tokio::test]
async fn the_second_editor_is_told_and_nothing_is_overwritten() {
    let app = TestApp::new().await;
    let (mut root, mut rob) = (app.staff("root").await, app.staff("rob").await);
    let page = new_team(&mut root, &[("name", "Lynx")]).await;
    root.post("/admin/groups", &[("name", "Juniors"), ("id", "juniors")]).await;
    root.post("/admin/organizations", &[("name", "Hill"), ("id", "hill")]).await;
    for (page, first, second) in [
        (page.as_str(), "Red Lynx", "Blue Lynx"),
        ("/admin/groups/juniors", "Red Juniors", "Blue Juniors"),
        ("/admin/organizations/hill", "Red Hill", "Blue Hill"),
    ] {
        let form = seen(&root.get(page).await.body);
        assert_eq!(root.post(page, &[("seen", &form), ("name", first)]).await.location(), page);
        let count = acts(&app).await.len();
        let late = rob.post(page, &[("seen", &form), ("name", second)]).await;
        assert_eq!(late.status, StatusCode::CONFLICT, "{}", late.body);
        assert!(late.body.contains("Somebody else changed this meanwhile") && late.body.contains(first));
        assert!(!late.body.contains(second), "what stands now is shown");
        // Without what it saw, nobody changes anything either.
        assert_eq!(rob.post(page, &[("name", second)]).await.status, StatusCode::CONFLICT);
        assert_eq!(acts(&app).await.len(), count);
        // Having looked, it may.
        let form = seen(&late.body);
        assert_eq!(rob.post(page, &[("seen", &form), ("name", second)]).await.location(), page);
    }
}

#[tokio::test]
async fn what_no_team_belongs_to_is_deleted_and_nothing_else() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    root.post("/admin/groups", &[("name", "Juniors"), ("id", "a/b")]).await;
    root.post("/admin/organizations", &[("name", "Hill"), ("id", "hill")]).await;
    let team = new_team(&mut root, &[("name", "Lynx"), ("organization", "hill"), ("group-a/b", "1")]).await;
    for (list, page, name, act) in [
        ("/admin/groups", "/admin/groups/a%2Fb", "Juniors", "group.delete"),
        ("/admin/organizations", "/admin/organizations/hill", "Hill", "organization.delete"),
    ] {
        let delete = format!("{page}/delete");
        let shown = root.get(page).await.body;
        assert!(shown.contains("It can be deleted once no team belongs to it.") && !shown.contains(&delete), "{shown}");
        let form = seen(&shown);
        let refused = root.post(&delete, &[("seen", &form)]).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
        let told = format!("1 team still belongs to “{name}”. Take them out first.");
        assert!(refused.body.contains(&told), "{}", refused.body);
        assert!(acts(&app).await.iter().all(|one| one.0 != act));
        // Out of it.
        let (team_form, kept) = (seen(&root.get(&team).await.body), ("organization", "hill"));
        let fields = [("seen", team_form.as_str()), ("name", "Lynx"), kept];
        let fields = if act == "group.delete" { &fields[..] } else { &fields[..2] };
        assert_eq!(root.post(&team, fields).await.location(), team);
        // Whoever saw something else is told.
        assert_eq!(root.post(&delete, &[("seen", "other")]).await.status, StatusCode::CONFLICT);
        let shown = root.get(page).await.body;
        assert!(shown.contains(&format!("action=\"{delete}\"")), "{shown}");
        assert_eq!(root.post(&delete, &[("seen", &seen(&shown))]).await.location(), list);
        assert!(!root.get(list).await.body.contains(name));
        assert_eq!(root.get(page).await.status, StatusCode::NOT_FOUND);
        assert_eq!(root.post(&delete, &[("seen", &form)]).await.status, StatusCode::NOT_FOUND);
        let acts = acts(&app).await;
        let done = acts.iter().find(|one| one.0 == act).unwrap_or_else(|| panic!("{act}: {acts:?}"));
        assert!(done.2.contains(&format!("name=\"{name}\"")) && done.3.is_empty(), "{done:?}");
    }
}

#[tokio::test]
async fn hidden_teams_and_groups_leave_the_board_at_once() {
    let app = TestApp::new().await;
    let mut root = made(&app, "open").await;
    let mut ada = app.contestant("ada").await;
    app.pass_ms(70 * 60_000);
    let program = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    ada.upload("/contests/cup/problems/sum/submit", &program).await;
    let board = async || app.browser().get("/contests/cup/scoreboard").await.body.contains("<bdi>ada</bdi>");
    assert!(board().await);
    let list = root.get("/admin/teams?q=ADA").await.body;
    let page = list.split("row-link\" href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    root.post("/admin/groups", &[("name", "Guests"), ("id", "guests")]).await;
    for (group, hidden, shown) in [("0", "1", false), ("0", "", true), ("1", "", true)] {
        let form = seen(&root.get(&page).await.body);
        let mut fields = vec![("seen", form.as_str()), ("name", "ada")];
        fields.extend([("group-guests", "1")].into_iter().filter(|_| group == "1"));
        fields.extend([("hidden", "1")].into_iter().filter(|_| hidden == "1"));
        assert_eq!(root.post(&page, &fields).await.location(), page);
        assert_eq!(board().await, shown, "{fields:?}");
    }
    let form = seen(&root.get("/admin/groups/guests").await.body);
    root.post("/admin/groups/guests", &[("seen", &form), ("name", "Guests"), ("hidden", "1")]).await;
    assert!(!board().await, "its group is hidden");
}

#[tokio::test]
async fn lists_are_searched_and_turned_page_by_page() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    root.post("/admin/groups", &[("name", "North & South"), ("id", "n/s")]).await;
    for number in 1..=60 {
        let (name, label) = (format!("Team {number:02}"), format!("B-{number}"));
        let mut fields = vec![("name", name.as_str()), ("label", label.as_str())];
        fields.extend([("group-n/s", "1")].into_iter().filter(|_| number % 20 == 0));
        new_team(&mut root, &fields).await;
        root.post("/admin/organizations", &[("name", &format!("School {number:02}"))]).await;
    }
    let rows = |page: &str| page.matches("class=\"row-link\"").count();
    let first = root.get("/admin/teams?q=team+").await.body;
    assert_eq!(rows(&first), 50);
    let next = first.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&");
    let second = root.get(&next).await.body;
    assert!(rows(&second) == 10 && second.contains("Team 60") && !second.contains("rel=\"next\""), "{next}");
    assert_eq!(rows(&root.get("/admin/teams?q=b-7").await.body), 1, "labels are looked at");
    assert_eq!(rows(&root.get("/admin/teams?q=%25").await.body), 0, "a sign is a sign");
    let groups = root.get("/admin/groups").await.body;
    assert!(groups.contains("/admin/groups/n%2Fs") && groups.contains(">3</a>"), "{groups}");
    let of_group = root.get("/admin/teams?group=n%2Fs").await.body;
    assert!(rows(&of_group) == 3 && of_group.contains("North &#38; South"), "{of_group}");
    assert_eq!(root.get("/admin/groups/n%2Fs").await.status, StatusCode::OK);
    let schools = root.get("/admin/organizations").await.body;
    assert_eq!(rows(&schools), 50);
    let next = schools.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&");
    assert_eq!(rows(&root.get(&next).await.body), 10);
    // Beyond sixty the id is written: a page stays small.
    root.post("/admin/organizations", &[("name", "School 61")]).await;
    let form = root.get("/admin/teams/new").await.body;
    assert!(form.contains("<input type=\"text\" id=\"organization\"") && !form.contains("School 07"));
    for page in ["/admin/teams", "/admin/groups", "/admin/organizations", "/admin/teams/new", "/admin/organizations/61"]
    {
        for language in ["en", "zh"] {
            root.language = language;
            let answer = root.get(page).await;
            assert!(answer.status == StatusCode::OK && answer.body.len() < 60_000, "{page}: {}", answer.body.len());
        }
    }
    for role in [Role::Judge, Role::Setter] {
        let mut other = app.with_role(role.as_str(), role).await;
        assert_eq!(other.get("/admin/teams").await.status, StatusCode::FORBIDDEN);
    }
}
