//! What each version of the format calls its files and folders. Must not know what is in them.

use super::metadata::FormatVersion;

/// The names of one version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) format: FormatVersion,
    /// The folder with the statements.
    pub(crate) statement: &'static str,
    /// The folder with the output validator: it is one, or holds one.
    pub(crate) output_validator: &'static str,
    /// The file with a group's settings.
    pub(crate) group_file: &'static str,
    /// What may stand at the root.
    root: &'static [&'static str],
    /// Names of other versions and what they are here.
    renamed: &'static [(&'static str, &'static str)],
}

const MODERN: Layout = Layout {
    format: FormatVersion::V202509,
    statement: "statement",
    output_validator: "output_validator",
    group_file: "test_group.yaml",
    root: &[
        "problem.yaml",
        "domjudge-problem.ini",
        "touchstone-tests.yaml",
        "statement",
        "attachments",
        "solution",
        "data",
        "generators",
        "include",
        "submissions",
        "input_validators",
        "static_validator",
        "output_validator",
        "input_visualizer",
        "output_visualizer",
    ],
    renamed: &[
        ("problem_statement", "statement"),
        ("output_validators", "output_validator"),
        ("input_format_validators", "input_validators"),
        ("testdata.yaml", "data/secret/test_group.yaml"),
    ],
};

const LEGACY: Layout = Layout {
    format: FormatVersion::Legacy,
    statement: "problem_statement",
    output_validator: "output_validators",
    group_file: "testdata.yaml",
    root: &[
        "problem.yaml",
        "domjudge-problem.ini",
        "touchstone-tests.yaml",
        "problem.pdf",
        "problem_statement",
        "attachments",
        "data",
        "generators",
        "graders",
        "include",
        "submissions",
        "input_validators",
        "input_format_validators",
        "output_validators",
    ],
    renamed: &[("statement", "problem_statement"), ("output_validator", "output_validators")],
};

impl Layout {
    /// The names of a version.
    pub(crate) const fn of(format: FormatVersion) -> Self {
        let layout = match format {
            FormatVersion::Legacy | FormatVersion::LegacyIcpc => LEGACY,
            FormatVersion::Draft202307 | FormatVersion::V202509 => MODERN,
        };
        Self { format, ..layout }
    }

    /// Whether it is one of the two versions before `problem_format_version`.
    pub(crate) const fn is_legacy(&self) -> bool {
        self.format.is_legacy()
    }

    /// Whether this may stand at the root.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.root.contains(&name)
    }

    /// What a name of another version is called here.
    pub(crate) fn now(&self, name: &str) -> Option<&'static str> {
        self.renamed.iter().find(|(then, _)| *then == name).map(|(_, now)| *now)
    }
}
