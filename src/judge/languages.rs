//! The language table: how each language is compiled and started.
//!
//! Owns: the table's form, and the filling of its command templates. Must not know: where the tools are (that is
//! `toolchain`), how a command is run (`compile`).

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::domain::language::LanguageId;

/// The built-in table.
const BUILT_IN: &str = include_str!("languages.toml");

/// All languages and the tools they need, as written in a `languages.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageTable {
    /// Compilers and interpreters.
    #[serde(rename = "tool")]
    pub tools: Vec<ToolSpec>,
    /// Languages, in the order in which they are offered.
    #[serde(rename = "language")]
    pub languages: Vec<LanguageSpec>,
}

/// One program that must be on the host.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// What `{tool:ID}` in a command refers to.
    pub id: String,
    /// The Debian package that has it, for who lacks it.
    #[serde(default)]
    pub package: Option<String>,
    /// File names, best first.
    pub names: Vec<String>,
    /// Folders to look in before the system's.
    #[serde(default)]
    pub places: Vec<String>,
    /// More folders that the tool reads, shown read-only at the same path.
    #[serde(default)]
    pub binds: Vec<String>,
    /// Arguments that make it print its version.
    pub version: Vec<String>,
    /// Files and folders that go into what it makes (headers, libraries). Programs built before one of them changed are
    /// built again.
    #[serde(default)]
    pub parts: Vec<String>,
}

/// One language.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageSpec {
    /// Its id.
    pub id: LanguageId,
    /// Its name for people.
    pub name: String,
    /// File name endings, without the dot.
    pub extensions: Vec<String>,
    /// Endings for which this language is taken when none is named.
    #[serde(default)]
    pub default_for: Vec<String>,
    /// What a single source file is called in the sandbox.
    pub main: String,
    /// Ids of the tools it needs.
    pub tools: Vec<String>,
    /// The compile command; none for a ready program.
    #[serde(default)]
    pub compile: Vec<String>,
    /// Extra files put beside the sources for the compile step.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// A header that is compiled beforehand for programs that begin with it.
    #[serde(default)]
    pub precompiled: Option<String>,
    /// Which files of the compile step's folder make up the program: a name, `*.ext`, or `**.ext` for all depths.
    pub keep: Vec<String>,
    /// The start command.
    pub run: Vec<String>,
    /// More environment for the program.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// How many processes and threads the runtime itself may need on top of the problem's limit.
    #[serde(default)]
    pub processes: u64,
}

/// A table that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum BadTable {
    /// Not the right form.
    #[error("the language table can't be read: {0}")]
    Form(#[from] toml::de::Error),
    /// A language names a tool that the table doesn't have.
    #[error("the language `{language}` needs the tool `{tool}`, which the table doesn't describe")]
    UnknownTool {
        /// The language's id.
        language: LanguageId,
        /// What it asks for.
        tool: String,
    },
    /// Two languages of one id.
    #[error("the language `{0}` stands in the table twice")]
    Twice(LanguageId),
}

impl LanguageTable {
    /// The table that comes with the program.
    ///
    /// # Errors
    /// Never, unless the program was built from a broken table; a test reads it.
    pub fn built_in() -> Result<Self, BadTable> {
        Self::parse(BUILT_IN)
    }

    /// Reads and checks a table.
    pub fn parse(text: &str) -> Result<Self, BadTable> {
        let table: Self = toml::from_str(text)?;
        for (at, language) in table.languages.iter().enumerate() {
            if table.languages[..at].iter().any(|other| other.id == language.id) {
                return Err(BadTable::Twice(language.id.clone()));
            }
            for tool in &language.tools {
                if !table.tools.iter().any(|spec| spec.id == *tool) {
                    return Err(BadTable::UnknownTool { language: language.id.clone(), tool: tool.clone() });
                }
            }
        }
        Ok(table)
    }

    /// The language of this id.
    pub fn get(&self, id: &LanguageId) -> Option<&LanguageSpec> {
        self.languages.iter().find(|language| language.id == *id)
    }

    /// The default language for a file of this name, by its ending.
    pub fn for_file(&self, file_name: &str) -> Option<&LanguageSpec> {
        let (_, ending) = file_name.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        self.languages.iter().find(|language| language.default_for.contains(&ending))
    }
}

impl LanguageSpec {
    /// Whether a file of this name is a source of the language.
    pub fn owns(&self, file_name: &str) -> bool {
        file_name.rsplit_once('.').is_some_and(|(_, ending)| self.extensions.contains(&ending.to_ascii_lowercase()))
    }

    /// Whether the compile step's file `path` belongs to the program.
    pub fn keeps(&self, path: &str) -> bool {
        self.keep.iter().any(|pattern| {
            if let Some(ending) = pattern.strip_prefix("**") {
                path.ends_with(ending)
            } else if let Some(ending) = pattern.strip_prefix('*') {
                path.ends_with(ending) && !path.contains('/')
            } else {
                path == pattern
            }
        })
    }
}

/// What a command template can name.
#[derive(Debug, Default)]
pub struct Values<'a> {
    /// Program path of each tool, as seen inside.
    pub tools: &'a [(&'a str, &'a str)],
    /// Source file names.
    pub sources: &'a [&'a str],
    /// Other placeholders: name without braces, value.
    pub other: &'a [(&'a str, &'a str)],
}

/// Fills a command template. `{sources}` alone becomes one argument a file; what isn't known stays as it is.
pub fn fill(template: &[String], values: &Values<'_>) -> Vec<String> {
    let mut command = Vec::with_capacity(template.len() + values.sources.len());
    for part in template {
        if part == "{sources}" {
            command.extend(values.sources.iter().map(|&name| name.to_owned()));
            continue;
        }
        let mut filled = part.clone();
        for (id, path) in values.tools {
            filled = filled.replace(&format!("{{tool:{id}}}"), path);
        }
        for (name, value) in values.other {
            filled = filled.replace(&format!("{{{name}}}"), value);
        }
        command.push(filled);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_sound_and_knows_the_usual_endings() {
        let table = LanguageTable::built_in().unwrap();
        for (file, id) in [
            ("a.c", "c17"),
            ("a.cpp", "cpp17"),
            ("a.CC", "cpp17"),
            ("a.rs", "rust"),
            ("a.py", "python3"),
            ("A.java", "java"),
            ("a.mjs", "javascript"),
        ] {
            assert_eq!(table.for_file(file).map(|language| language.id.as_str()), Some(id), "{file}");
        }
        assert!(table.for_file("README").is_none());
    }

    #[test]
    fn templates_are_filled() {
        let command = fill(
            &["{tool:cc}".into(), "-Clinker={tool:cc}".into(), "{sources}".into(), "-m{memory_mb}".into()],
            &Values { tools: &[("cc", "/usr/bin/cc")], sources: &["a.c", "b.c"], other: &[("memory_mb", "64")] },
        );
        assert_eq!(command, ["/usr/bin/cc", "-Clinker=/usr/bin/cc", "a.c", "b.c", "-m64"]);
    }

    #[test]
    fn mistakes_in_a_table_are_named() {
        let twice = "tool = []\n[[language]]\nid='a'\nname='A'\nextensions=[]\nmain='m'\ntools=[]\nkeep=[]\nrun=[]\n";
        assert!(matches!(
            LanguageTable::parse(&twice.replace("tools=[]", "tools=['x']")),
            Err(BadTable::UnknownTool { .. })
        ));
        let language = twice.split_once('\n').unwrap().1;
        assert!(matches!(LanguageTable::parse(&format!("{twice}{language}")), Err(BadTable::Twice(_))));
        assert!(matches!(LanguageTable::parse("nonsense = 1"), Err(BadTable::Form(_))));
    }
}
