//! Statements: `statement/problem.<language>.<md|tex|pdf>` (format, "Problem statements").

use std::io;

use super::fault::Findings;
use super::model::{LanguageTag, Statement, StatementKind};
use super::path::PackagePath;
use super::tree::PackageTree;

/// Finds the statements; other files of the folder are theirs to refer to.
pub(crate) fn read(tree: &PackageTree, findings: &mut Findings) -> io::Result<Vec<Statement>> {
    let mut statements = Vec::new();
    for path in tree.below("statement") {
        let Some(rest) = path.below("statement").and_then(|rest| rest.strip_prefix("problem.")) else { continue };
        let Some((language, extension)) = rest.split_once('.') else {
            let sentence = format!("it needs a language in its name: problem.en.{rest}");
            findings.fault(path, None, sentence);
            continue;
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
            Ok(language) => statements.push(Statement { language, kind, path: path.clone() }),
            Err(bad) => findings.fault(path, None, bad.to_string()),
        }
        check_contents(tree, path, kind, findings)?;
    }
    if statements.is_empty() {
        findings.fault("statement", None, "there is no statement; write statement/problem.en.md");
    }
    statements.sort_by(|a, b| (&a.language, a.kind).cmp(&(&b.language, b.kind)));
    Ok(statements)
}

fn check_contents(
    tree: &PackageTree,
    path: &PackagePath,
    kind: StatementKind,
    findings: &mut Findings,
) -> io::Result<()> {
    let bytes = tree.read(path)?;
    if kind == StatementKind::Pdf {
        if !bytes.starts_with(b"%PDF-") {
            findings.fault(path, None, "it is not a PDF file");
        }
        return Ok(());
    }
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
