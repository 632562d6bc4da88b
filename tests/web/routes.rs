//! Every route with every role. The routes are read from the router's own source, so that one that is added later without
//! a line here fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use touchstone::domain::account::Role;

use crate::world::{Browser, Part, TestApp};

/// Who may use a route. What somebody may see of a thing behind it is tested with that thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Everybody, logged in or not.
    Anybody,
    /// Whoever is logged in.
    SignedIn,
    /// This role and stronger ones.
    From(Role),
    /// Programs, by their own rules: `api.rs` tests them.
    Api,
}

use Who::{Anybody, Api, From, SignedIn};

const ADMIN: Who = From(Role::Admin);
const JUDGE: Who = From(Role::Judge);
const SETTER: Who = From(Role::Setter);

/// Method, route as it stands in the router, who, and an address that it leads to.
const ROUTES: &[(&str, &str, Who, &str)] = &[
    ("GET", "/", Anybody, "/"),
    ("POST", "/preferences", Anybody, "/preferences"),
    ("GET", "/login", Anybody, "/login"),
    ("POST", "/login", Anybody, "/login"),
    ("GET", "/login/code", Anybody, "/login/code"),
    ("POST", "/login/code", Anybody, "/login/code"),
    ("POST", "/logout", Anybody, "/logout"),
    ("GET", "/register", Anybody, "/register"),
    ("POST", "/register", Anybody, "/register"),
    ("GET", "/password/{token}", Anybody, "/password/x"),
    ("POST", "/password/{token}", Anybody, "/password/x"),
    ("GET", "/setup/{token}", Anybody, "/setup/x"),
    ("POST", "/setup/{token}", Anybody, "/setup/x"),
    ("GET", "/healthz", Anybody, "/healthz"),
    ("GET", "/readyz", Anybody, "/readyz"),
    ("GET", "/metrics", Anybody, "/metrics"),
    ("GET", "/contests", Anybody, "/contests"),
    ("GET", "/resolver", Anybody, "/resolver"),
    ("GET", "/virtual", SignedIn, "/virtual"),
    ("POST", "/virtual", SignedIn, "/virtual"),
    ("GET", "/virtual/events", SignedIn, "/virtual/events"),
    ("GET", "/scoreboard/files/{name}", Anybody, "/scoreboard/files/board.csv"),
    ("GET", "/admin/contests/new", ADMIN, "/admin/contests/new"),
    ("POST", "/admin/contests", ADMIN, "/admin/contests"),
    ("GET", "/admin/contests/{slug}", ADMIN, "/admin/contests/practice"),
    ("POST", "/admin/contests/{slug}", ADMIN, "/admin/contests/practice"),
    ("POST", "/admin/contests/{slug}/clone", ADMIN, "/admin/contests/practice/clone"),
    ("POST", "/admin/contests/{slug}/problems", ADMIN, "/admin/contests/practice/problems"),
    ("POST", "/admin/contests/{slug}/steps", ADMIN, "/admin/contests/practice/steps"),
    ("POST", "/admin/contests/{slug}/teams", ADMIN, "/admin/contests/practice/teams"),
    ("GET", "/account", SignedIn, "/account"),
    ("GET", "/help/api", Anybody, "/help/api"),
    ("GET", "/help/api/managing", Anybody, "/help/api/managing"),
    ("GET", "/account/tokens", Anybody, "/account/tokens"),
    ("POST", "/account/tokens", SignedIn, "/account/tokens"),
    ("POST", "/account/tokens/{id}/revoke", SignedIn, "/account/tokens/9/revoke"),
    ("POST", "/account/log-out-everywhere", SignedIn, "/account/log-out-everywhere"),
    ("GET", "/account/second-step", SignedIn, "/account/second-step"),
    ("POST", "/account/second-step", SignedIn, "/account/second-step"),
    ("POST", "/account/second-step/confirm", SignedIn, "/account/second-step/confirm"),
    ("POST", "/account/second-step/codes", SignedIn, "/account/second-step/codes"),
    ("POST", "/account/second-step/off", SignedIn, "/account/second-step/off"),
    ("GET", "/problems", Anybody, "/problems"),
    ("GET", "/problems/{slug}", Anybody, "/problems/sum"),
    ("GET", "/problems/{slug}/samples.zip", Anybody, "/problems/sum/samples.zip"),
    ("GET", "/problems/{slug}/pictures/{name}", Anybody, "/problems/sum/pictures/1.svg"),
    ("GET", "/problems/{slug}/files/{*path}", Anybody, "/problems/sum/files/x.png"),
    ("GET", "/problems/{slug}/submit", SignedIn, "/problems/sum/submit"),
    ("POST", "/problems/{slug}/submit", SignedIn, "/problems/sum/submit"),
    ("POST", "/problems/{slug}/try", SignedIn, "/problems/sum/try"),
    ("GET", "/trials/{id}", SignedIn, "/trials/9"),
    ("GET", "/trials/{id}/events", SignedIn, "/trials/9/events"),
    ("GET", "/submissions", Anybody, "/submissions"),
    ("GET", "/submissions/{id}", Anybody, "/submissions/1"),
    ("GET", "/submissions/{id}/events", Anybody, "/submissions/99/events"),
    ("GET", "/submissions/{id}/files/{number}", Anybody, "/submissions/99/files/1"),
    ("GET", "/submissions/{id}/compiler-output", Anybody, "/submissions/99/compiler-output"),
    ("GET", "/team/submission/{id}", Anybody, "/team/submission/1"),
    ("POST", "/submissions/{id}/rejudge", JUDGE, "/submissions/99/rejudge"),
    ("GET", "/clarifications", Anybody, "/clarifications"),
    ("POST", "/clarifications", SignedIn, "/clarifications"),
    ("GET", "/clarifications/events", Anybody, "/clarifications/events"),
    ("GET", "/news", Anybody, "/news"),
    ("GET", "/news/events", Anybody, "/news/events"),
    ("GET", "/scoreboard", Anybody, "/scoreboard"),
    ("GET", "/scoreboard/events", Anybody, "/scoreboard/events"),
    ("GET", "/static/{*path}", Anybody, "/static/favicon.svg"),
    ("GET", "/admin", SETTER, "/admin"),
    ("GET", "/admin/import", SETTER, "/admin/import"),
    ("POST", "/admin/import", SETTER, "/admin/import"),
    ("GET", "/admin/problems/{slug}/verification", SETTER, "/admin/problems/sum/verification"),
    ("POST", "/admin/problems/{slug}/verification", SETTER, "/admin/problems/sum/verification"),
    ("GET", "/admin/problems/{slug}/verification/events", SETTER, "/admin/problems/sum/verification/events"),
    ("GET", "/admin/problems/{slug}", SETTER, "/admin/problems/sum"),
    ("GET", "/admin/problems/{slug}/tests/new", SETTER, "/admin/problems/sum/tests/new"),
    ("POST", "/admin/problems/{slug}/tests/new", SETTER, "/admin/problems/sum/tests/new"),
    ("POST", "/admin/problems/{slug}/rejudge", JUDGE, "/admin/problems/sum/rejudge"),
    ("GET", "/admin/clarifications", JUDGE, "/admin/clarifications"),
    ("POST", "/admin/clarifications", JUDGE, "/admin/clarifications"),
    ("GET", "/admin/clarifications/events", JUDGE, "/admin/clarifications/events"),
    ("POST", "/admin/contests/{slug}/failed-tests", JUDGE, "/admin/contests/practice/failed-tests"),
    ("POST", "/admin/clarifications/canned", JUDGE, "/admin/clarifications/canned"),
    ("POST", "/admin/clarifications/canned/{id}/delete", JUDGE, "/admin/clarifications/canned/9/delete"),
    ("GET", "/admin/health", JUDGE, "/admin/health"),
    ("POST", "/admin/machines/{name}/state", ADMIN, "/admin/machines/judge-1/state"),
    ("GET", "/admin/problems/{slug}/package.zip", SETTER, "/admin/problems/sum/package.zip?version=1"),
    ("GET", "/admin/problems/{slug}/versions", SETTER, "/admin/problems/sum/versions"),
    ("POST", "/admin/problems/{slug}/versions", SETTER, "/admin/problems/sum/versions"),
    ("POST", "/admin/problems/{slug}/state", ADMIN, "/admin/problems/sum/state"),
    ("POST", "/admin/problems", SETTER, "/admin/problems"),
    ("POST", "/admin/problems/{slug}/checker", SETTER, "/admin/problems/sum/checker"),
    ("POST", "/admin/problems/{slug}/languages", SETTER, "/admin/problems/sum/languages"),
    ("POST", "/admin/problems/{slug}/limits", SETTER, "/admin/problems/sum/limits"),
    ("GET", "/admin/problems/{slug}/statement", SETTER, "/admin/problems/sum/statement"),
    ("POST", "/admin/problems/{slug}/statement", SETTER, "/admin/problems/sum/statement"),
    ("GET", "/admin/problems/{slug}/tests/generate", SETTER, "/admin/problems/sum/tests/generate"),
    ("POST", "/admin/problems/{slug}/tests/generate", SETTER, "/admin/problems/sum/tests/generate"),
    ("GET", "/admin/problems/{slug}/tests/many", SETTER, "/admin/problems/sum/tests/many"),
    ("POST", "/admin/problems/{slug}/tests/many", SETTER, "/admin/problems/sum/tests/many"),
    ("GET", "/admin/problems/{slug}/tests/{id}", SETTER, "/admin/problems/sum/tests/2"),
    ("POST", "/admin/problems/{slug}/tests/{id}", SETTER, "/admin/problems/sum/tests/2"),
    ("GET", "/admin/problems/{slug}/tests/{id}/edit", SETTER, "/admin/problems/sum/tests/2/edit"),
    ("POST", "/admin/problems/{slug}/tests/{id}/edit", SETTER, "/admin/problems/sum/tests/2/edit"),
    ("GET", "/admin/problems/{slug}/tests/{id}/input", SETTER, "/admin/problems/sum/tests/2/input"),
    ("GET", "/admin/problems/{slug}/tests/{id}/answer", SETTER, "/admin/problems/sum/tests/2/answer"),
    ("GET", "/admin/proposals/{id}", SETTER, "/admin/proposals/9"),
    ("GET", "/admin/proposals/{id}/input", SETTER, "/admin/proposals/9/input"),
    ("GET", "/admin/rejudgings", JUDGE, "/admin/rejudgings"),
    ("POST", "/admin/rejudgings", JUDGE, "/admin/rejudgings"),
    ("GET", "/admin/rejudgings/new", JUDGE, "/admin/rejudgings/new"),
    ("GET", "/admin/rejudgings/{id}", JUDGE, "/admin/rejudgings/9"),
    ("POST", "/admin/rejudgings/{id}/apply", JUDGE, "/admin/rejudgings/9/apply"),
    ("POST", "/admin/rejudgings/{id}/drop", JUDGE, "/admin/rejudgings/9/drop"),
    ("POST", "/admin/rejudgings/{id}/undo", JUDGE, "/admin/rejudgings/9/undo"),
    ("GET", "/admin/people", ADMIN, "/admin/people"),
    ("GET", "/admin/people/import", ADMIN, "/admin/people/import"),
    ("POST", "/admin/people/import", ADMIN, "/admin/people/import"),
    ("GET", "/admin/people/import/{id}", ADMIN, "/admin/people/import/9"),
    ("POST", "/admin/people/import/{id}", ADMIN, "/admin/people/import/9"),
    ("POST", "/admin/people/import/{id}/drop", ADMIN, "/admin/people/import/9/drop"),
    ("GET", "/admin/people/{id}", ADMIN, "/admin/people/1"),
    ("POST", "/admin/people/{id}/role", ADMIN, "/admin/people/999/role"),
    ("POST", "/admin/people/{id}/disabled", ADMIN, "/admin/people/999/disabled"),
    ("POST", "/admin/people/{id}/sign-out", ADMIN, "/admin/people/999/sign-out"),
    ("POST", "/admin/people/{id}/password-link", ADMIN, "/admin/people/999/password-link"),
    ("POST", "/admin/people/{id}/second-step", ADMIN, "/admin/people/999/second-step"),
    ("POST", "/admin/second-step", ADMIN, "/admin/second-step"),
    ("GET", "/admin/teams", ADMIN, "/admin/teams"),
    ("POST", "/admin/teams", ADMIN, "/admin/teams"),
    ("GET", "/admin/teams/new", ADMIN, "/admin/teams/new"),
    ("GET", "/admin/teams/{id}", ADMIN, "/admin/teams/1"),
    ("POST", "/admin/teams/{id}", ADMIN, "/admin/teams/999"),
    ("POST", "/admin/teams/{id}/members", ADMIN, "/admin/teams/999/members"),
    ("POST", "/admin/teams/{id}/disabled", ADMIN, "/admin/teams/999/disabled"),
    ("GET", "/admin/groups", ADMIN, "/admin/groups"),
    ("POST", "/admin/groups", ADMIN, "/admin/groups"),
    ("GET", "/admin/groups/new", ADMIN, "/admin/groups/new"),
    ("GET", "/admin/groups/{id}", ADMIN, "/admin/groups/none"),
    ("POST", "/admin/groups/{id}", ADMIN, "/admin/groups/none"),
    ("POST", "/admin/groups/{id}/delete", ADMIN, "/admin/groups/none/delete"),
    ("GET", "/admin/organizations", ADMIN, "/admin/organizations"),
    ("POST", "/admin/organizations", ADMIN, "/admin/organizations"),
    ("GET", "/admin/organizations/new", ADMIN, "/admin/organizations/new"),
    ("GET", "/admin/organizations/{id}", ADMIN, "/admin/organizations/none"),
    ("POST", "/admin/organizations/{id}", ADMIN, "/admin/organizations/none"),
    ("POST", "/admin/organizations/{id}/delete", ADMIN, "/admin/organizations/none/delete"),
    ("GET", "/admin/registration", ADMIN, "/admin/registration"),
    ("POST", "/admin/registration", ADMIN, "/admin/registration"),
    ("POST", "/admin/invitations", ADMIN, "/admin/invitations"),
    ("POST", "/admin/invitations/{id}/revoke", ADMIN, "/admin/invitations/9/revoke"),
    ("GET", "/admin/log", ADMIN, "/admin/log"),
    ("GET", "/admin/log/export", ADMIN, "/admin/log/export?format=csv"),
];

/// The folder whose routes are programs' own.
const API: &str = "src/web/api/";

/// The part of it for what the staff does.
pub const MANAGE: &str = "src/web/api/manage/";

/// An address of each page and file that a browser can get; live pages, which never end, are left out.
pub fn pages() -> Vec<String> {
    let ends = |address: &str| !address.split('?').next().unwrap_or_default().ends_with("/events");
    let got = ROUTES.iter().filter(|(method, _, who, address)| *method == "GET" && *who != Api && ends(address));
    got.map(|(.., address)| (*address).to_owned()).collect()
}

/// Every (method, path) that a `.route(` in the web room's sources names, with its file.
fn routes() -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for file in sources(Path::new("src/web")) {
        let text = fs::read_to_string(&file).unwrap();
        for call in text.split(".route(").skip(1) {
            let call = argument(call);
            let Some(path) = call.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) else {
                continue;
            };
            let methods = ["get", "post", "put", "patch", "delete"].into_iter().filter(|method| {
                call.match_indices(&format!("{method}("))
                    .any(|(at, _)| !call[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
            });
            let methods: Vec<_> = methods.collect();
            assert!(!methods.is_empty(), "{}: no method found for {path}: {call}", file.display());
            for method in methods {
                found.push((method.to_uppercase(), path.to_owned(), file.display().to_string()));
            }
        }
    }
    found
}

/// Method and path of the routes in this folder and those below.
pub fn routes_below(folder: &str) -> BTreeSet<(String, String)> {
    let found = routes().into_iter().filter(|(.., file)| file.starts_with(folder));
    found.map(|(method, path, _)| (method, path)).collect()
}

/// Every (method, path) of the contest API's router, below `/api/v4`; what the staff does has its own table in `manage.rs`.
pub fn api_routes() -> Vec<(String, String)> {
    let contest = |file: &str| file.starts_with(API) && !file.starts_with(MANAGE);
    routes().into_iter().filter(|(.., file)| contest(file)).map(|(method, path, _)| (method, path)).collect()
}

/// The text up to the parenthesis that closes the call.
fn argument(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_route_has_a_line() {
    let found = routes();
    assert!(found.len() >= ROUTES.len(), "the reader of routes misses some");
    let known: BTreeSet<(String, String)> =
        ROUTES.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned())).collect();
    let routed: BTreeSet<(String, String)> = found
        .iter()
        .filter(|(.., file)| !file.starts_with(API))
        .map(|(method, path, _)| (method.clone(), path.clone()))
        .collect();
    let missing: Vec<_> = routed.difference(&known).collect();
    assert!(missing.is_empty(), "say in ROUTES who may use {missing:?}");
    let gone: Vec<_> = known.difference(&routed).collect();
    assert!(gone.is_empty(), "no such routes any more: {gone:?}");
}

/// Whether an answer means "not you".
fn is_refused(status: StatusCode, location: &str) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) || location.starts_with("/login?next=")
}

/// Whether the form of this address is sent in parts.
fn takes_files(address: &str) -> bool {
    address.contains("/import") && !address.contains("/import/")
        || ["/submit", "/try", "/tests/new", "/tests/many", "/edit"].iter().any(|ending| address.ends_with(ending))
}

/// Status and location; a stream's body is not waited for.
async fn ask(browser: &mut Browser, method: &str, address: &str) -> (StatusCode, String) {
    let response = if method == "GET" {
        let request: Request<Body> = browser.prepare(Method::GET, address).body(Body::empty()).unwrap();
        browser.request(request).await
    } else if takes_files(address) {
        let answer = browser.upload(address, &[Part::Text("nothing", "x")]).await;
        return (answer.status, answer.location().to_owned());
    } else {
        let answer = browser.post(address, &[("nothing", "x")]).await;
        return (answer.status, answer.location().to_owned());
    };
    let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    (response.status(), location.to_owned())
}

#[tokio::test]
async fn every_route_lets_in_just_whom_it_should() {
    let app = TestApp::new().await;
    let mut people: BTreeMap<Option<Role>, Browser> = BTreeMap::new();
    people.insert(None, app.browser());
    for role in Role::ALL {
        people.insert(Some(role), app.with_role(role.as_str(), role).await);
    }
    let ada = people.get_mut(&Some(Role::Contestant)).unwrap();
    ada.upload("/problems/sum/submit", &[Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")]).await;
    let mut checked = 0;
    for &(method, route, who, address) in ROUTES.iter().filter(|(.., who, _)| *who != Api) {
        for (role, browser) in &people {
            // A copy: one that logs out is logged in again for the next route.
            let mut browser = browser.clone();
            let (status, location) = ask(&mut browser, method, address).await;
            let may = match who {
                Anybody | Api => true,
                SignedIn => role.is_some(),
                From(least) => role.is_some_and(|role| role >= least),
            };
            let shown = format!("{method} {route} as {role:?}: {status} {location}");
            assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR, "{shown}");
            assert_ne!(status, StatusCode::METHOD_NOT_ALLOWED, "{shown}");
            assert_eq!(!is_refused(status, &location), may, "{shown}");
            if !may {
                let wanted = if role.is_some() { StatusCode::FORBIDDEN } else { StatusCode::UNAUTHORIZED };
                assert!(status == wanted || method == "GET" && location.starts_with("/login"), "{shown}");
            }
            checked += 1;
        }
        if ["/logout", "/account/log-out-everywhere"].contains(&route) {
            for role in Role::ALL {
                let mut browser = app.browser();
                let form = [("name", role.as_str()), ("password", "correct horse"), ("next", "/")];
                assert_eq!(browser.post("/login", &form).await.status, StatusCode::SEE_OTHER);
                people.insert(Some(role), browser);
            }
        }
    }
    assert_eq!(checked, ROUTES.len() * 5);
}

#[tokio::test]
async fn no_write_is_taken_without_the_pages_own_token() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let (own, strangers) = (root.token().await, app.browser().token().await);
    let nobody = "0".repeat(64);
    let cases = [("", None), (nobody.as_str(), None), (strangers.as_str(), None), (own.as_str(), Some("cross-site"))];
    for &(_, route, _, address) in ROUTES.iter().filter(|(method, _, who, _)| *method == "POST" && *who != Api) {
        for (token, site) in cases {
            let status = if takes_files(address) {
                let part =
                    format!("--edge\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{token}\r\n--edge--\r\n");
                let request = root.prepare(Method::POST, address);
                let request = request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge");
                let request = request.header("sec-fetch-site", site.unwrap_or("same-origin"));
                root.request(request.body(Body::from(part)).unwrap()).await.status()
            } else {
                root.post_with(address, &[("nothing", "x")], token, site).await.status
            };
            assert_eq!(status, StatusCode::FORBIDDEN, "{route} with {token:?} from {site:?}");
        }
    }
    assert_eq!(root.get("/admin/people").await.status, StatusCode::OK, "nothing was done, not even a log-out");
}
