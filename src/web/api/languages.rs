//! `/contests/{contest}/languages`: what programs may be written in, on this host.

use serde::Serialize;
use utoipa::ToSchema;

use super::collection::Context;
use crate::domain::language::ShownCommand;
use crate::web::state::{AppState, OfferedLanguage};

/// CLICS language.
#[derive(Serialize, ToSchema)]
pub(super) struct Language {
    /// `id`.
    id: String,
    /// `name`.
    name: String,
    /// `entry_point_required`: never; it is found out where a language needs one.
    entry_point_required: bool,
    /// `entry_point_name`.
    entry_point_name: Option<&'static str>,
    /// `extensions`, the usual one first, without the dot.
    extensions: Vec<String>,
    /// `compiler`: what compiles or checks a program; left out for a ready one.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiler: Option<CommandObject>,
    /// `runner`: left out where programs run by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    runner: Option<CommandObject>,
}

/// CLICS command.
#[derive(Serialize, ToSchema)]
#[schema(as = Command)]
struct CommandObject {
    /// `command`: the program.
    command: String,
    /// `args`: as a shell takes them; `{files}` and `{entry_point}` stand for what is handed in.
    args: String,
    /// `version`, where the program is the one that gives the language its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// `version_command`: what makes it print that.
    version_command: String,
}

impl CommandObject {
    fn new(shown: &ShownCommand, version: Option<&String>) -> Self {
        Self {
            command: shown.program.clone(),
            args: shown.arguments.clone(),
            version: version.cloned(),
            version_command: shown.version_command.clone(),
        }
    }
}

impl From<&OfferedLanguage> for Language {
    fn from(language: &OfferedLanguage) -> Self {
        let mut extensions = language.extensions.clone();
        if extensions.is_empty() {
            // DOMjudge's client takes no language without one.
            extensions.push(language.id.to_string());
        }
        Self {
            id: language.id.to_string(),
            name: language.name.clone(),
            entry_point_required: false,
            entry_point_name: None,
            extensions,
            compiler: language.compiler.as_ref().map(|shown| CommandObject::new(shown, Some(&language.version))),
            runner: language.runner.as_ref().map(|shown| CommandObject::new(shown, None)),
        }
    }
}

/// The languages in the order of the table, but the usual one of those that share an ending first: DOMjudge's client takes
/// the first that fits a file's name.
fn usual_first(state: &AppState) -> Vec<&OfferedLanguage> {
    let mut languages: Vec<&OfferedLanguage> = state.languages.iter().collect();
    languages.sort_by_key(|language| !language.is_default());
    languages
}

/// The language that a client means: by id, by name, by a file name's ending, or by family (`cpp`, `python`), whatever
/// the case.
pub(super) fn find<'a>(state: &'a AppState, given: &str) -> Option<&'a OfferedLanguage> {
    let same = |text: &str| text.eq_ignore_ascii_case(given);
    let languages = usual_first(state);
    let by = |fits: &dyn Fn(&OfferedLanguage) -> bool| languages.iter().copied().find(|language| fits(language));
    by(&|language| same(language.id.as_str()))
        .or_else(|| by(&|language| same(&language.name)))
        .or_else(|| by(&|language| language.extensions.iter().any(|extension| same(extension))))
        .or_else(|| by(&|language| same(language.family())))
}

/// Those that the contest allows.
pub(super) fn all(of: &Context<'_>) -> Vec<Language> {
    let allowed = |language: &&OfferedLanguage| {
        let allowed = of.contest.languages.as_ref();
        allowed.is_none_or(|allowed| allowed.0.iter().any(|id| id == language.id.as_str()))
    };
    usual_first(of.state).into_iter().filter(allowed).map(Language::from).collect()
}
