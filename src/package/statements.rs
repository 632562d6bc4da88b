//! Statements: `problem.<language>.<md|tex|pdf>` in the statements' folder, and written solutions (format, "Problem
//! statements", "Solution description").
//!
//! Owns: which files they are, in which language, and what they call the problem. Must not know how they are shown.

use std::io;

use super::fault::Findings;
use super::layout::Layout;
use super::metadata::LanguageTag;
use super::model::{Statement, StatementKind};
use super::path::PackagePath;
use super::tex;
use super::tree::PackageTree;

/// Where `DOMjudge` looks for a statement too.
const ROOT_PDF: &str = "problem.pdf";
/// The largest statement in Markdown or TeX, bytes.
const MAX_TEXT_BYTES: u64 = 4 << 20;

/// Finds the statements; other files of the folder are theirs to refer to.
pub(crate) fn read(tree: &PackageTree, layout: &Layout, findings: &mut Findings) -> io::Result<Vec<Statement>> {
    let folder = layout.statement;
    let mut statements = in_folder(tree, folder, "problem", layout.is_legacy(), findings);
    if statements.is_empty()
        && layout.is_legacy()
        && let (Some(path), Ok(language)) = (tree.find(ROOT_PDF), "en".parse())
    {
        statements.push(Statement { language, kind: StatementKind::Pdf, path: path.clone() });
    }
    for statement in &statements {
        check_contents(tree, &statement.path, statement.kind, findings)?;
        check_plain(tree, statement, &statements, findings)?;
        if layout.is_legacy() && statement.kind == StatementKind::Markdown {
            let sentence = "format legacy has no statements in Markdown; other judges may not show it";
            findings.warn(&statement.path, None, sentence);
        }
    }
    if statements.is_empty() {
        let name = if layout.is_legacy() { "problem.en.tex" } else { "problem.en.md" };
        findings.fault(folder, None, format!("there is no statement; write {folder}/{name}"));
    }
    Ok(statements)
}

/// Finds the written solutions.
pub(crate) fn solutions(tree: &PackageTree, findings: &mut Findings) -> Vec<Statement> {
    in_folder(tree, "solution", "solution", true, findings)
}

fn in_folder(
    tree: &PackageTree,
    folder: &str,
    stem: &str,
    may_be_english: bool,
    findings: &mut Findings,
) -> Vec<Statement> {
    let mut found = Vec::new();
    for path in tree.below(folder) {
        let rest = path.below(folder).and_then(|rest| rest.strip_prefix(stem)?.strip_prefix('.'));
        let Some(rest) = rest.filter(|rest| !rest.contains('/')) else { continue };
        let (language, extension) = match rest.split_once('.') {
            Some(parts) => parts,
            None if may_be_english => ("en", rest),
            None => {
                findings.fault(path, None, format!("it needs a language in its name: {stem}.en.{rest}"));
                continue;
            }
        };
        let kind = match extension {
            "md" => StatementKind::Markdown,
            "tex" => StatementKind::Tex,
            "pdf" => StatementKind::Pdf,
            _ => {
                findings.fault(path, None, "a statement ends in .md, .tex or .pdf");
                continue;
            }
        };
        match language.parse::<LanguageTag>() {
            Ok(language) => found.push(Statement { language, kind, path: path.clone() }),
            Err(bad) => findings.fault(path, None, bad.to_string()),
        }
    }
    found.sort_by(|a, b| (&a.language, a.kind).cmp(&(&b.language, b.kind)));
    found
}

fn check_contents(
    tree: &PackageTree,
    path: &PackagePath,
    kind: StatementKind,
    findings: &mut Findings,
) -> io::Result<()> {
    if kind == StatementKind::Pdf {
        if tree.read_start(path, 5)? != b"%PDF-" {
            findings.fault(path, None, "it is not a PDF file");
        }
        return Ok(());
    }
    if tree.size(path).is_some_and(|size| size > MAX_TEXT_BYTES) {
        findings.fault(path, None, format!("it has more than {MAX_TEXT_BYTES} bytes"));
        return Ok(());
    }
    let bytes = tree.read(path)?;
    match std::str::from_utf8(&bytes) {
        Err(_) => findings.fault(path, None, "it is not UTF-8; save it as UTF-8"),
        Ok(text) if text.starts_with('\u{feff}') => {
            findings.fault(path, Some(1), "it begins with a byte-order mark; save it as UTF-8 without one");
        }
        Ok(text) if text.trim().is_empty() => findings.fault(path, None, "it is empty"),
        Ok(_) => {}
    }
    Ok(())
}

/// A statement in TeX that can't be shown on a page needs a PDF beside it.
fn check_plain(
    tree: &PackageTree,
    statement: &Statement,
    all: &[Statement],
    findings: &mut Findings,
) -> io::Result<()> {
    let has_other = all.iter().any(|other| other.language == statement.language && other.kind != StatementKind::Tex);
    if statement.kind != StatementKind::Tex || has_other {
        return Ok(());
    }
    let bytes = tree.read_start(&statement.path, MAX_TEXT_BYTES)?;
    if let Err(bad) = tex::to_markdown(&String::from_utf8_lossy(&bytes)) {
        let sentence = format!("{bad}; put problem.{}.pdf beside it, which is shown instead", statement.language);
        findings.warn(&statement.path, Some(bad.line), sentence);
    }
    Ok(())
}

/// What a statement in TeX calls the problem: `%% plainproblemname: ...`, or `\problemname{...}` without commands in it.
pub(crate) fn name_in_tex(tree: &PackageTree, statement: &Statement) -> io::Result<Option<String>> {
    if statement.kind != StatementKind::Tex {
        return Ok(None);
    }
    let bytes = tree.read_start(&statement.path, MAX_TEXT_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let plain = text.lines().find_map(|line| line.trim().strip_prefix("%%")?.trim().strip_prefix("plainproblemname:"));
    let name = plain.or_else(|| {
        let (_, rest) = text.split_once("\\problemname{")?;
        let (name, _) = rest.split_once('}')?;
        (!name.contains(['$', '\\', '{'])).then_some(name)
    });
    Ok(name.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned))
}
