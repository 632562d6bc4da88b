//! `/help/api` and `/help/api/managing`: the contest API and the staff's, for people who write programs for them, drawn from
//! their `OpenAPI` documents. Must not know: single resources.

use askama::Template;
use axum::extract::State;
use axum::response::Html;
use serde_json::Value;

use super::Page;
use crate::web::api;
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/api-reference.html")]
struct ReferencePage {
    frame: Frame,
    operations: Vec<Operation>,
    shapes: Vec<Shape>,
}

struct Operation {
    method: String,
    path: String,
    summary: String,
    /// A shape's name, or what kind of file.
    answer: String,
    /// Whether that is a shape.
    linked: bool,
    many: bool,
}

struct Shape {
    name: String,
    description: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: String,
    /// The shape that it is made of.
    of: Option<String>,
    description: String,
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The shape that a schema names.
fn named(schema: &Value) -> Option<String> {
    schema.get("$ref").and_then(Value::as_str).and_then(|address| address.rsplit('/').next()).map(str::to_owned)
}

/// What a schema takes, in few words, and the shape in it.
fn kind(schema: &Value) -> (String, Option<String>) {
    if let Some(name) = named(schema) {
        return (String::new(), Some(name));
    }
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    if let Some(alternatives) = alternatives {
        let found = alternatives.iter().map(kind).find(|(words, of)| of.is_some() || words != "null");
        return found.map(|(words, of)| (format!("{words}?"), of)).unwrap_or_default();
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            let words = kinds.iter().filter_map(Value::as_str).find(|word| *word != "null").unwrap_or_default();
            (format!("{words}?"), None)
        }
        Some(Value::String(word)) if word == "array" => {
            let (words, of) = schema.get("items").map(kind).unwrap_or_default();
            (format!("{words}[]"), of)
        }
        Some(Value::String(word)) => (word.clone(), None),
        _ => (String::new(), None),
    }
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let content = operation["responses"]["200"]["content"].as_object().and_then(|all| all.iter().next());
            let (mime, schema) = content.map_or(("", &Value::Null), |(mime, content)| (mime, &content["schema"]));
            let (words, of) = kind(schema);
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                summary: text(operation, "summary"),
                many: words == "[]",
                linked: of.is_some(),
                answer: of.unwrap_or_else(|| mime.to_owned()),
            });
        }
    }
    operations
}

fn shapes(document: &Value) -> Vec<Shape> {
    let shape = |(name, schema): (&String, &Value)| {
        let field = |(name, schema): (&String, &Value)| {
            let (kind, of) = kind(schema);
            // The words of the sources mark names; a description that is the name alone says nothing.
            let words = text(schema, "description").replace('`', "");
            let description = if words.trim_end_matches('.') == name { String::new() } else { words };
            Field { name: name.clone(), kind, of, description }
        };
        Shape {
            name: name.clone(),
            description: text(schema, "description"),
            fields: schema["properties"].as_object().into_iter().flatten().map(field).collect(),
        }
    };
    document["components"]["schemas"].as_object().into_iter().flatten().map(shape).collect()
}

/// Shows it.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let document = api::document();
    let page = ReferencePage {
        frame: visit.frame(&state, Section::None),
        operations: operations(document),
        shapes: shapes(document),
    };
    Ok(Html(page.render()?))
}

#[derive(Template)]
#[template(path = "pages/api-managing.html")]
struct ManagingPage {
    frame: Frame,
    operations: Vec<Managing>,
}

struct Managing {
    method: String,
    path: String,
    summary: String,
    /// The names of what is asked in the address, and of the body's fields.
    takes: String,
    /// The least role.
    role: String,
}

fn managing_operations(document: &Value) -> Vec<Managing> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let asked = operation["parameters"].as_array().into_iter().flatten();
            let asked = asked.filter(|one| one["in"] == "query").map(|one| format!("?{}", text(one, "name")));
            let body = operation["requestBody"]["content"].as_object().and_then(|all| all.iter().next());
            let body: Vec<String> = match body.map(|(mime, content)| (mime, &content["schema"]["properties"])) {
                Some((_, Value::Object(fields))) => fields.keys().cloned().collect(),
                Some((mime, _)) => vec![mime.clone()],
                None => Vec::new(),
            };
            operations.push(Managing {
                method: method.to_uppercase(),
                path: path.clone(),
                summary: text(operation, "summary"),
                takes: asked.chain(body).collect::<Vec<_>>().join(", "),
                role: text(operation, "x-least-role"),
            });
        }
    }
    operations
}

/// Shows the staff's.
pub async fn managing(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let operations = managing_operations(api::managing_document());
    Ok(Html(ManagingPage { frame: visit.frame(&state, Section::None), operations }.render()?))
}
