//! `/touchstone/openapi.json`: what the staff's addresses take, for programs that read it and for the page that shows it to
//! people. Tests compare it with the router, and each request's fields with what the address says that it knows. Must not
//! know: who asks.

use std::sync::OnceLock;

use axum::Json;
use serde_json::{Map, Value, json};

use crate::domain::account::Role;
use crate::domain::account::Role::{Admin, Judge, Setter};

/// What an address answers with.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// 200 and JSON.
    Json,
    /// 200 and a file of this kind.
    File(&'static str),
    /// 201 and the new thing's id.
    Made,
    /// 202: it is done in the background; JSON says what to look for.
    Queued,
    /// 202 without a word: it is done in the background.
    Begun,
    /// 204: it is done.
    Done,
}

use Answer::{Begun, Done, File, Made, Queued};

/// What an address takes beside the names in it. Fields are `name:kind`, with `!` where they must be there.
#[derive(Debug, Clone, Copy)]
struct Operation(&'static str, &'static str, Role, &'static str, &'static str, Body, Answer);

/// What comes as the request's body.
#[derive(Debug, Clone, Copy)]
enum Body {
    /// Nothing.
    Nothing,
    /// An object with these fields.
    Fields(&'static str),
    /// An object with these fields, and with those that others have too.
    With(&'static str, &'static str),
    /// A file.
    Bytes(&'static str),
}

use Body::{Bytes, Fields, Nothing, With};

const SETTINGS: &str = "name:string start:integer duration_ms:integer freeze_ms:integer? penalty_minutes:integer scoring:string points_from:string \
                        failed_tests:string access:string languages:array? practice_after:boolean \
                        equal_toolchains:boolean";
const TEAM: &str = "name:string! display_name:string label:string external_id:string icpc_id:string organization:string \
                    groups:array hidden:boolean";
const AFFILIATION: &str = "name:string! icpc_id:string formal_name:string country:string hidden:boolean";

/// Method, address, least role, what it is for, what is asked in the address, the body, the answer.
#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation("get", "/problems", Setter, "All problems.", "", Nothing, Answer::Json),
    Operation("post", "/problems", Setter, "Offer a package: the body is its zip.", "id:string", Bytes("application/zip"), Queued),
    Operation("get", "/problems/{slug}", Setter, "A problem's versions, and which are in force.", "", Nothing, Answer::Json),
    Operation("get", "/problems/{slug}/package", Setter, "A version as a zip; without a number the one in force.", "version:integer", Nothing, File("application/zip")),
    Operation("post", "/problems/{slug}/state", Admin, "Withdraw a problem, or publish it again.", "", Fields("state:string!"), Done),
    Operation("post", "/problems/{slug}/limits", Setter, "Offer it with other limits.", "", Fields("version:integer! cpu_ms:integer! memory_mib:integer!"), Begun),
    Operation("get", "/problems/{slug}/settings", Setter, "Its checker and languages.", "", Nothing, Answer::Json),
    Operation("post", "/problems/{slug}/checker", Setter, "Offer it with other flags of the default checker.", "", Fields("version:integer! case_sensitive:boolean space_change_sensitive:boolean float_absolute_tolerance:number? float_relative_tolerance:number?"), Begun),
    Operation("post", "/problems/{slug}/languages", Setter, "Offer it with other languages; null: all.", "", Fields("version:integer! languages:array?"), Begun),
    Operation("post", "/problems/{slug}/create", Setter, "Begin it with a small package that verifies.", "", Nothing, Queued),
    Operation("post", "/problems/{slug}/statement", Setter, "Offer it with another statement.", "", Fields("version:integer! language:string! text:string!"), Begun),
    Operation("post", "/problems/{slug}/restore", Setter, "Put an older version in force again.", "", Fields("version:integer! restore:integer!"), Begun),
    Operation("get", "/problems/{slug}/verification", Setter, "The newest verification, as far as it is.", "", Nothing, Answer::Json),
    Operation("post", "/problems/{slug}/verification", Setter, "Look again at what is in force.", "", Nothing, Queued),
    Operation("get", "/problems/{slug}/tests", Setter, "The tests in force, and their version.", "", Nothing, Answer::Json),
    Operation("post", "/problems/{slug}/tests", Setter, "Offer a test: the body is its input.", "name:string sample:boolean", Bytes("application/octet-stream"), Queued),
    Operation("post", "/problems/{slug}/tests/zip", Setter, "Offer several: the body is a zip of .in files; all are taken or none.", "sample:boolean", Bytes("application/zip"), Queued),
    Operation("post", "/problems/{slug}/tests/generate", Setter, "Offer a test that a generator of the package makes.", "", Fields("name:string command:string! sample:boolean"), Queued),
    Operation("patch", "/problems/{slug}/tests/{id}", Setter, "Move a test, put it in a group, make it a sample or not: one of these.", "", Fields("version:integer! place:integer? group:string? sample:boolean? reason:string"), Done),
    Operation("delete", "/problems/{slug}/tests/{id}", Setter, "Take a test out.", "version:integer! reason:string", Nothing, Done),
    Operation("get", "/problems/{slug}/tests/{id}/input", Setter, "A test's input.", "", Nothing, File("application/octet-stream")),
    Operation("put", "/problems/{slug}/tests/{id}/input", Setter, "Offer another input in its place: the body.", "version:integer!", Bytes("application/octet-stream"), Queued),
    Operation("get", "/problems/{slug}/tests/{id}/answer", Setter, "A test's answer.", "", Nothing, File("application/octet-stream")),
    Operation("get", "/problems/{slug}/proposals", Setter, "What became of the tests that were offered.", "", Nothing, Answer::Json),
    Operation("get", "/rejudgings", Judge, "Rejudgings, newest first.", "before:integer", Nothing, Answer::Json),
    Operation("post", "/rejudgings", Judge, "Judge again, without changing anything yet.", "", Fields("selection:object! reason:string"), Queued),
    Operation("get", "/rejudgings/{id}", Judge, "What it would change: verdicts, ranks, points, first solutions, awards.", "", Nothing, Answer::Json),
    Operation("post", "/rejudgings/{id}/apply", Judge, "Let it count, if it would still change what its digest names.", "seen:string", Nothing, Done),
    Operation("post", "/rejudgings/{id}/drop", Judge, "Give it up.", "", Nothing, Done),
    Operation("post", "/rejudgings/{id}/undo", Judge, "Take an applied one back.", "", Nothing, Done),
    Operation("get", "/people", Admin, "Accounts by name.", "prefix:string role:string disabled:boolean after:string", Nothing, Answer::Json),
    Operation("post", "/people/import", Admin, "Make what files say, all of it or nothing.", "", Fields("files:array! dry_run:boolean"), Answer::Json),
    Operation("post", "/people/{name}/role", Admin, "Give an account another role.", "", Fields("role:string! seen:string?"), Done),
    Operation("post", "/people/{name}/disabled", Admin, "Let it log in no longer, or again.", "", Fields("disabled:boolean!"), Done),
    Operation("post", "/people/{name}/sign-out", Admin, "End its sessions.", "", Nothing, Answer::Json),
    Operation("post", "/people/{name}/password-link", Admin, "Make a link that sets a new password, once.", "", Nothing, Answer::Json),
    Operation("post", "/people/{name}/second-step/reset", Admin, "Take its second step off.", "", Nothing, Answer::Json),
    Operation("post", "/second-step", Admin, "Whether staff must have a second step.", "", Fields("must:boolean!"), Done),
    Operation("get", "/teams", Admin, "Teams by name.", "contains:string group:string organization:string hidden:boolean after:string", Nothing, Answer::Json),
    Operation("post", "/teams", Admin, "Make a team.", "", Fields(TEAM), Made),
    Operation("get", "/teams/{id}", Admin, "A team with its members.", "", Nothing, Answer::Json),
    Operation("put", "/teams/{id}", Admin, "Make it so, if it is still what `seen` names.", "seen:string", Fields(TEAM), Done),
    Operation("post", "/teams/{id}/members", Admin, "Let an account hand in for it, or no longer: one of these.", "", Fields("join:string? leave:string?"), Done),
    Operation("post", "/teams/{id}/disabled", Admin, "Let none of its contestants log in, or all again.", "", Fields("disabled:boolean!"), Done),
    Operation("get", "/groups", Admin, "Groups by name.", "contains:string after:string", Nothing, Answer::Json),
    Operation("post", "/groups", Admin, "Make a group; without an id it gets a free number.", "", Fields("id:string name:string! icpc_id:string hidden:boolean"), Made),
    Operation("put", "/groups/{id}", Admin, "Make it so, if it is still what `seen` names.", "seen:string", Fields(AFFILIATION), Done),
    Operation("delete", "/groups/{id}", Admin, "Delete it, if no team belongs to it.", "seen:string", Nothing, Done),
    Operation("get", "/organizations", Admin, "Organizations by name.", "contains:string after:string", Nothing, Answer::Json),
    Operation("post", "/organizations", Admin, "Make an organization; without an id it gets a free number.", "", Fields("id:string name:string! icpc_id:string formal_name:string country:string"), Made),
    Operation("put", "/organizations/{id}", Admin, "Make it so, if it is still what `seen` names.", "seen:string", Fields(AFFILIATION), Done),
    Operation("delete", "/organizations/{id}", Admin, "Delete it, if no team belongs to it.", "seen:string", Nothing, Done),
    Operation("get", "/registration", Admin, "Who may register.", "", Nothing, Answer::Json),
    Operation("post", "/registration", Admin, "Set it: open, invitation or closed.", "", Fields("registration:string!"), Done),
    Operation("get", "/invitations", Admin, "Invitations, newest first.", "", Nothing, Answer::Json),
    Operation("post", "/invitations", Admin, "Make one for so many people and days.", "", Fields("places:integer! days:integer! note:string"), Made),
    Operation("delete", "/invitations/{id}", Admin, "Take one back.", "", Nothing, Done),
    Operation("get", "/contests", Judge, "All contests with their settings.", "", Nothing, Answer::Json),
    Operation("post", "/contests", Admin, "Make one; what isn't named is as usual.", "", With("id:string!", SETTINGS), Made),
    Operation("get", "/contests/{contest}", Judge, "One with its problems, teams, and what is undecided.", "", Nothing, Answer::Json),
    Operation("patch", "/contests/{contest}", Admin, "Change settings; what isn't named stays, null is a value.", "", With("version:integer?", SETTINGS), Done),
    Operation("post", "/contests/{contest}/clone", Admin, "Make a copy with settings, problems and teams.", "", Fields("id:string! start:integer!"), Made),
    Operation("post", "/contests/{contest}/failed-tests", Judge, "What contestants learn of failed secret tests.", "", Fields("failed_tests:string!"), Done),
    Operation("put", "/contests/{contest}/problems", Admin, "Set its problems: each id, label, rgb.", "", Fields("version:integer? problems:array!"), Done),
    Operation("put", "/contests/{contest}/teams", Admin, "Set the teams that it invites, by name.", "", Fields("version:integer? teams:array!"), Done),
    Operation("post", "/contests/{contest}/steps", Admin, "Take a step of its life: start, pause, resume, extend, end, finalize, thaw.", "", Fields("version:integer? step:string! ms:integer?"), Done),
    Operation("get", "/contests/{contest}/clarifications", Judge, "All its messages.", "", Nothing, Answer::Json),
    Operation("post", "/contests/{contest}/clarifications", Judge, "Answer a question, or tell all.", "", Fields("reply_to:integer? problem:string? to_all:boolean text:string!"), Made),
    Operation("get", "/canned-answers", Judge, "What is answered often.", "", Nothing, Answer::Json),
    Operation("post", "/canned-answers", Judge, "Keep one.", "", Fields("text:string!"), Made),
    Operation("delete", "/canned-answers/{id}", Judge, "Drop one.", "", Nothing, Done),
    Operation("get", "/health", Judge, "Queue, workers, languages, host, failures, disk, throughput.", "", Nothing, Answer::Json),
    Operation("get", "/machines", Judge, "Machines that judge for this server: state, what they do, what they judge with, what they don't judge.", "", Nothing, Answer::Json),
    Operation("post", "/machines/{name}/state", Admin, "Let one work, let it run empty, or forbid it: active, draining, forbidden.", "", Fields("state:string!"), Done),
    Operation("get", "/log", Admin, "The staff's acts, newest first.", "actor:string act:string subject:string from:integer until:integer before:integer", Nothing, Answer::Json),
];

/// The document.
pub(in crate::web::api) async fn show() -> Json<&'static Value> {
    Json(document())
}

/// The document, made once.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let mut paths = Map::new();
        for operation in OPERATIONS {
            let item = paths.entry(operation.1).or_insert_with(|| json!({}));
            item[operation.0] = described(*operation);
        }
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Touchstone staff API",
                "version": "1",
                "description": "What the staff does below /admin, for programs. Needs a token that allows managing. Times are \
                                milliseconds since 1970.",
            },
            "servers": [{ "url": "/api/v4/touchstone" }],
            "paths": paths,
            "components": {
                "schemas": { "Error": {
                    "type": "object",
                    "required": ["code", "message"],
                    "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
                } },
                "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            },
            "security": [{ "bearer": [] }],
        })
    })
}

fn described(Operation(_, path, role, summary, asked, body, answer): Operation) -> Value {
    let names = path.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
    let in_path = |name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
    let in_query = |(name, schema, required): (String, Value, bool)| json!({ "name": name, "in": "query", "required": required, "schema": schema });
    let parameters: Vec<Value> = names.map(in_path).chain(fields(asked).map(in_query)).collect();
    let json_content = json!({ "application/json": { "schema": {} } });
    let (status, content) = match answer {
        Answer::Json => ("200", Some(json_content)),
        File(kind) => ("200", Some(json!({ kind: { "schema": { "type": "string", "format": "binary" } } }))),
        Made => ("201", Some(json_content)),
        Queued => ("202", Some(json_content)),
        Begun => ("202", None),
        Done => ("204", None),
    };
    let mut good = json!({ "description": summary });
    if let Some(content) = content {
        good["content"] = content;
    }
    let error = json!({
        "description": "What is wrong.",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut operation = json!({
        "summary": summary, "x-least-role": role, "parameters": parameters,
        "responses": { status: good, "4XX": error },
    });
    match body {
        Nothing => {}
        Fields(told) => operation["requestBody"] = object(fields(told)),
        With(told, more) => operation["requestBody"] = object(fields(told).chain(fields(more))),
        Bytes(kind) => {
            let schema = json!({ "type": "string", "format": "binary" });
            operation["requestBody"] = json!({ "required": true, "content": { kind: { "schema": schema } } });
        }
    }
    operation
}

/// A body with these fields and no others.
fn object(fields: impl Iterator<Item = (String, Value, bool)>) -> Value {
    let (mut properties, mut must) = (Map::new(), Vec::new());
    for (name, schema, required) in fields {
        must.extend(required.then(|| name.clone()));
        properties.insert(name, schema);
    }
    let schema = json!({
        "type": "object", "required": must, "properties": properties, "additionalProperties": false,
    });
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

/// Name, schema, and whether it must be there. `?` stands behind kinds that may be null.
fn fields(told: &'static str) -> impl Iterator<Item = (String, Value, bool)> {
    told.split_ascii_whitespace().filter_map(|field| field.split_once(':')).map(|(name, kind)| {
        let (word, required) = (kind.trim_end_matches(['!', '?']), kind.ends_with('!'));
        let schema = if kind.ends_with('?') { json!({ "type": [word, "null"] }) } else { json!({ "type": word }) };
        (name.to_owned(), schema, required)
    })
}
