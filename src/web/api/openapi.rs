//! `/openapi.json`: what the API takes and gives, for programs that read it, and for the page that shows it to people.
//! The shapes come from the resources' own types; the addresses stand here, and a test compares them with the router.
//! Must not know: who asks.

use std::sync::OnceLock;

use axum::Json;
use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema as _, ToSchema as _};

use super::collection::Collection;
use super::{
    access, awards, clarifications, contest_state, contests, error, file, groups, info, judgement_types, judgements,
    languages, organizations, problems, runs, scoreboard, submissions, teams,
};

/// What an address answers with.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// One object.
    One(&'static str),
    /// A list of objects.
    Many(&'static str),
    /// A file of this kind.
    File(&'static str),
    /// Anything: a document by itself.
    Any,
}

/// Method, address, what it is for, what it answers with. The collections come on top.
const OPERATIONS: [(&str, &str, &str, Answer); 16] = [
    ("get", "/", "Which API this is.", Answer::One("Api")),
    ("get", "/info", "Which API this is.", Answer::One("Api")),
    ("get", "/version", "Which version the addresses have.", Answer::One("Version")),
    ("get", "/openapi.json", "This description.", Answer::Any),
    ("get", "/touchstone/openapi.json", "What the staff does, for programs.", Answer::Any),
    ("get", "/contests", "All contests.", Answer::Many("Contest")),
    ("get", "/contests/{contest}", "One contest.", Answer::One("Contest")),
    ("get", "/contests/{contest}/state", "How far the contest is.", Answer::One("State")),
    ("get", "/contests/{contest}/scoreboard", "The board as the caller may see it.", Answer::One("Scoreboard")),
    ("get", "/contests/{contest}/access", "What the caller may do, and which fields it finds.", Answer::One("Access")),
    (
        "get",
        "/contests/{contest}/event-feed",
        "Every object that the caller sees, and again whenever it changes: a line of JSON each.",
        Answer::File("application/x-ndjson"),
    ),
    (
        "post",
        "/contests/{contest}/submissions",
        "Hand in a program. The same Idempotency-Key names the same submission.",
        Answer::One("Submission"),
    ),
    (
        "get",
        "/contests/{contest}/submissions/{id}/files",
        "The program's files, for its author and judges.",
        Answer::File("application/zip"),
    ),
    (
        "get",
        "/contests/{contest}/submissions/{id}/source-code",
        "The same as DOMjudge gives them: in base64.",
        Answer::Many("SourceFile"),
    ),
    (
        "get",
        "/contests/{contest}/problems/{id}/statement/{language}",
        "A statement that is a PDF file.",
        Answer::File("application/pdf"),
    ),
    (
        "get",
        "/contests/{contest}/problems/{id}/package",
        "The problem's package, for those who may see tests.",
        Answer::File("application/zip"),
    ),
];

/// The object of a collection, and what the collection is.
const fn objects_of(collection: Collection) -> (&'static str, &'static str) {
    match collection {
        Collection::JudgementTypes => ("JudgementType", "The verdicts."),
        Collection::Languages => ("Language", "What programs may be written in."),
        Collection::Problems => ("Problem", "The problems; for contestants from the start on."),
        Collection::Groups => ("Group", "Groups of teams."),
        Collection::Organizations => ("Organization", "The organizations of the teams."),
        Collection::Teams => ("Team", "The teams that the caller may see."),
        Collection::Submissions => ("Submission", "What was handed in while the contest ran."),
        Collection::Judgements => ("Judgement", "How it went, as far as the caller may know."),
        Collection::Runs => ("Run", "The tests of the judgements, for judges."),
        Collection::Clarifications => ("Clarification", "Questions, answers and announcements."),
        Collection::Awards => ("Award", "Who won what, once it is known."),
    }
}

/// The document.
pub(super) async fn show() -> Json<&'static Value> {
    Json(document())
}

/// The document, made once.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Touchstone contest API",
                "version": "2023-06",
                "description": "CLICS Contest API 2023-06, with the additions of DOMjudge that its clients need.",
            },
            "servers": [{ "url": "/api/v4" }],
            "paths": paths(),
            "components": {
                "schemas": schemas(),
                "securitySchemes": {
                    "basic": { "type": "http", "scheme": "basic" },
                    "bearer": { "type": "http", "scheme": "bearer" },
                },
            },
            "security": [{}, { "basic": [] }, { "bearer": [] }],
        })
    })
}

fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    let mut add = |method: &str, path: &str, operation: Value| {
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[method] = operation;
    };
    for (method, path, summary, answer) in OPERATIONS {
        add(method, path, operation(path, summary, answer, method == "post"));
    }
    for collection in Collection::ALL {
        let (object, summary) = objects_of(collection);
        let all = format!("/contests/{{contest}}/{}", collection.name());
        let mut list = operation(&all, summary, Answer::Many(object), false);
        let filter = json!({
            "name": "id", "in": "query", "schema": { "type": "string" },
            "description": "Only those with this id; so for every field that is called id or ends in _id.",
        });
        if let Some(parameters) = list["parameters"].as_array_mut() {
            parameters.push(filter);
        }
        add("get", &all, list);
        let one = format!("{all}/{{id}}");
        add("get", &one, operation(&one, &format!("One of: {summary}"), Answer::One(object), false));
    }
    paths
}

fn operation(path: &str, summary: &str, answer: Answer, takes_a_program: bool) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let content = match answer {
        Answer::One(name) => json!({ "application/json": { "schema": reference(name) } }),
        Answer::Many(name) => {
            json!({ "application/json": { "schema": { "type": "array", "items": reference(name) } } })
        }
        Answer::File(kind) => json!({ kind: { "schema": { "type": "string" } } }),
        Answer::Any => json!({ "application/json": { "schema": {} } }),
    };
    let names = path.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
    let parameters: Vec<Value> = names
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    let error = json!({
        "description": "What is wrong.",
        "content": { "application/json": { "schema": reference("Error") } },
    });
    let mut operation = json!({
        "summary": summary,
        "parameters": parameters,
        "responses": { "200": { "description": summary, "content": content }, "4XX": error },
    });
    if takes_a_program {
        operation["requestBody"] = program();
    }
    operation
}

/// What is handed in: CLICS's JSON, or DOMjudge's form.
fn program() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "required": true,
        "content": {
            "application/json": { "schema": {
                "type": "object",
                "required": ["problem_id", "files"],
                "properties": {
                    "problem_id": text("The problem, by its id or letter."),
                    "language_id": text("The language, by its id, name or ending; else the program tells it."),
                    "entry_point": text("The main class or file."),
                    "team_id": text("One's own team; it may be left out."),
                    "files": { "type": "array", "minItems": 1, "maxItems": 1, "items": {
                        "type": "object",
                        "required": ["data"],
                        "properties": { "data": text("A zip file in base64.") },
                    } },
                },
            } },
            "multipart/form-data": { "schema": {
                "type": "object",
                "required": ["problem", "code[]"],
                "properties": {
                    "problem": text("The problem, by its id or letter."),
                    "language": text("The language, by its id, name or ending; else the program tells it."),
                    "entry_point": text("The main class or file."),
                    "code[]": { "type": "array", "items": { "type": "string", "format": "binary" } },
                },
            } },
        },
    })
}

/// The shapes of all objects, by name.
fn schemas() -> Map<String, Value> {
    let mut found: Vec<(String, RefOr<Schema>)> = Vec::new();
    macro_rules! shapes {
        ($($shape:ty),+ $(,)?) => {$(
            found.push((<$shape>::name().into_owned(), <$shape>::schema()));
            <$shape>::schemas(&mut found);
        )+};
    }
    shapes!(
        access::Access,
        awards::AwardObject,
        clarifications::Message,
        contest_state::ContestState,
        contests::ContestObject,
        error::Body<'_>,
        file::FileReference,
        groups::Group,
        info::Info,
        info::Version,
        judgement_types::JudgementType,
        judgements::JudgementObject,
        languages::Language,
        organizations::Organization,
        problems::Problem,
        runs::RunObject,
        scoreboard::Scoreboard,
        submissions::SourceFileObject,
        submissions::Submission,
        teams::Team,
    );
    found.into_iter().filter_map(|(name, schema)| Some((name, serde_json::to_value(schema).ok()?))).collect()
}
