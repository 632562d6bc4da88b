//! The `OpenAPI` document says what the API is: the router's addresses, and the fields that its answers have.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use serde_json::{Value, json};
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::store::api_token::Scopes;

use crate::routes::api_routes;
use crate::world::{Part, TestApp};

const COLLECTIONS: [&str; 11] = [
    "judgement-types",
    "languages",
    "problems",
    "groups",
    "organizations",
    "teams",
    "submissions",
    "judgements",
    "runs",
    "clarifications",
    "awards",
];

async fn get(app: &TestApp, token: Option<&str>, path: &str) -> (StatusCode, String, Vec<u8>) {
    let mut request = Request::builder().method(Method::GET).uri(format!("/api/v4{path}"));
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let response = app.browser().request(request.body(Body::empty()).unwrap()).await;
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let (status, kind) = (response.status(), kind.to_owned());
    (status, kind, axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap().to_vec())
}

async fn document(app: &TestApp) -> Value {
    let (status, _, body) = get(app, None, "/openapi.json").await;
    assert_eq!(status, StatusCode::OK);
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn every_route_is_in_the_document_and_every_address_of_it_a_route() {
    let app = TestApp::empty().await;
    let document = document(&app).await;
    let told: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())))
        .collect();
    let mut routed = BTreeSet::new();
    for (method, path) in api_routes() {
        if path.contains("{collection}") {
            routed.extend(COLLECTIONS.map(|name| (method.clone(), path.replace("{collection}", name))));
        } else {
            routed.insert((method, path));
        }
    }
    assert_eq!(told, routed);
    insta::assert_json_snapshot!("openapi", document);
}

/// Checks an answer against a schema: no field that isn't there, none missing that must be, references followed.
fn fits(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(reference) = schema.get("$ref") {
        let name = reference.as_str().unwrap().rsplit('/').next().unwrap();
        let found = &document["components"]["schemas"][name];
        assert!(found.is_object(), "{at}: there is no shape {name}");
        return fits(document, found, value, at);
    }
    if let Some(alternatives) = ["oneOf", "anyOf"].into_iter().find_map(|name| schema.get(name)) {
        let fitting = alternatives.as_array().unwrap().iter().find(|one| (one["type"] == "null") == value.is_null());
        return fits(document, fitting.unwrap_or_else(|| panic!("{at}: {value} fits nothing")), value, at);
    }
    let kinds: Vec<&str> = match schema.get("type") {
        None => return,
        Some(Value::Array(kinds)) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
        Some(kind) => vec![kind.as_str().unwrap()],
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(kinds.contains(&kind) || (kind == "integer" && kinds.contains(&"number")), "{at}: {value} is no {kinds:?}");
    match value {
        Value::Array(all) => all.iter().for_each(|one| fits(document, &schema["items"], one, at)),
        Value::Object(fields) => {
            let known = schema["properties"].as_object().unwrap();
            for (name, value) in fields {
                let schema = known.get(name).unwrap_or_else(|| panic!("{at}: the document has no `{name}`"));
                fits(document, schema, value, &format!("{at}.{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{at}: {name} is missing");
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn the_answers_have_the_shapes_of_the_document() {
    let app = TestApp::new().await;
    let mut tx = app.store.begin_write().await.unwrap();
    sqlx::raw_sql(
        "insert into organization (external_id, name, created_ms) values ('north', 'North', 0);
        insert into team_group (external_id, name, created_ms) values ('all', 'All', 0)",
    )
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let mut ada = app.contestant("ada").await;
    let mut tx = app.store.begin_write().await.unwrap();
    sqlx::raw_sql("update team set organization_id = 1; insert into team_in_group select id, 1 from team")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    for verdicts in [vec![Accepted, WrongAnswer], vec![Accepted; 3]] {
        app.pass_ms(60_000);
        let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
        ada.upload("/problems/sum/submit", &parts).await;
        app.judge(&verdicts).await;
    }
    ada.post("/clarifications", &[("problem", "sum"), ("text", "Why?")]).await;
    let judge = app.with_role("jo", Role::Judge).await.actor(&app).await;
    let scopes = Scopes { read: true, submit: false, manage: false };
    let token = app.state.service.create_token(&judge, "shapes", scopes, app.now()).await.unwrap();
    let document = document(&app).await;
    let mut seen = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(operation) = item.get("get") else { continue };
        let collection = path.split('/').nth(3).unwrap_or_default();
        let id = match collection {
            "languages" => "cpp20",
            "judgement-types" => "AC",
            "problems" => "sum",
            "groups" => "all",
            "organizations" => "north",
            _ => "1",
        };
        let address = path.replace("{contest}", "practice").replace("{id}", id).replace("{language}", "en");
        let query = if path.ends_with("event-feed") { "?stream=false" } else { "" };
        let (status, kind, body) = get(&app, Some(&token), &format!("{address}{query}")).await;
        // The practice contest has no end and so no awards, and its statements are no PDF files.
        if path.ends_with("/awards/{id}") || path.contains("/statement/") {
            assert_eq!(status, StatusCode::NOT_FOUND, "{address}");
            assert!(String::from_utf8_lossy(&body).contains("there is no"), "the route is there");
            continue;
        }
        assert_eq!(status, StatusCode::OK, "{address}: {}", String::from_utf8_lossy(&body));
        let content = operation["responses"]["200"]["content"].as_object().unwrap();
        let (told, content) = content.iter().next().unwrap();
        assert_eq!(kind, *told, "{address}");
        if kind == "application/json" {
            let value: Value = serde_json::from_slice(&body).unwrap();
            fits(&document, &content["schema"], &value, path);
            if value.as_array().is_some_and(|all| !all.is_empty()) {
                seen.insert(collection.to_owned());
            }
        }
    }
    for collection in COLLECTIONS.into_iter().filter(|name| *name != "awards") {
        assert!(seen.contains(collection), "{collection} was empty");
    }
    let (_, _, error) = get(&app, None, "/contests/nosuch").await;
    let shape = json!({ "$ref": "#/components/schemas/Error" });
    fits(&document, &shape, &serde_json::from_slice(&error).unwrap(), "error");
}

#[tokio::test]
async fn people_read_it_on_a_page() {
    let app = TestApp::empty().await;
    let mut browser = app.browser();
    let document = document(&app).await;
    for language in ["en", "zh"] {
        browser.language = language;
        let page = browser.get("/help/api").await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.len() < 60_000, "{} bytes", page.body.len());
        assert!(page.body.contains("href=\"/api/v4/openapi.json\""));
        for path in document["paths"].as_object().unwrap().keys() {
            assert!(page.body.contains(&format!(" {path}</code>")), "{path}");
        }
        for shape in document["components"]["schemas"].as_object().unwrap().keys() {
            assert!(page.body.contains(&format!("id=\"{shape}\"")), "{shape}");
        }
        // Every link to a shape leads to one.
        for target in page.body.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(page.body.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }
    let account = app.contestant("ada").await.get("/account").await.body;
    assert!(account.contains("href=\"/help/api\""));
}
