//! Statements in TeX as Markdown, as far as they are plain (format, "LaTeX environment and supported subset").
//!
//! Owns: which commands are plain and what they mean. Mathematics is left as it is. Anything else ends with the place and
//! the command, and the statement is to be shown as a PDF. Must not know how Markdown is shown.

mod reader;

use reader::{Reader, Stop};

/// A command or environment that has no plain meaning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{what}` can't be shown on a page")]
pub struct NotPlain {
    /// Line in the statement, counted from 1.
    pub line: usize,
    /// The command as written.
    pub what: String,
}

/// The statement as Markdown with `$...$` and `$$...$$` for mathematics. The problem's name is left out; samples and
/// constants become the format's `{{nextsample}}`, `{{remainingsamples}}` and `{{name}}`.
///
/// # Errors
/// [`NotPlain`] with the first command that isn't plain.
pub fn to_markdown(tex: &str) -> Result<String, NotPlain> {
    // Some statements are whole documents.
    let body = tex.split_once("\\begin{document}").map_or(tex, |(_, rest)| rest);
    let body = body.split_once("\\end{document}").map_or(body, |(body, _)| body);
    let before = tex.len() - tex.find(body).map_or(tex.len(), |at| tex.len() - at);
    let skipped = tex.get(..before).unwrap_or_default().matches('\n').count();
    let mut reader = Reader::new(body);
    let markdown = reader.run(Stop::End, 0).map_err(|bad| NotPlain { line: bad.line + skipped, ..bad })?;
    Ok(tidy(&markdown))
}

/// No blanks at line ends except those that break a line, and at most one empty line in a row.
fn tidy(markdown: &str) -> String {
    let mut tidied = String::with_capacity(markdown.len());
    let mut empty = true;
    for line in markdown.trim().lines() {
        let kept = if line.ends_with("  ") { line } else { line.trim_end() };
        let is_empty = kept.trim().is_empty();
        if !(is_empty && empty) {
            tidied.push_str(if is_empty { "" } else { kept });
            tidied.push('\n');
        }
        empty = is_empty;
    }
    tidied
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("\\problemname{Sum}\nAdd $a_1 + b$. % a comment\nMore.", "Add $a_1 + b$. More.\n")]
    #[case("One\n\n\n\nTwo~three", "One\n\nTwo\u{a0}three\n")]
    #[case("\\textbf{fat} \\emph{slanted} {\\bf old} \\texttt{x\\_1}", "**fat** *slanted* **old** `x_1`\n")]
    #[case("``quoted'' `one' 1--2 a---b 5\\% a\\_b", "“quoted” ‘one’ 1–2 a—b 5% a\\_b\n")]
    #[case("\\section*{Input}\nNumbers\\ldots", "## Input\n\nNumbers…\n")]
    #[case("\\begin{Input}\nOne.\n\\end{Input}", "## Input\n\nOne.\n")]
    #[case("\\begin{itemize}\n\\item one\n\\item two\n\\end{itemize}", "- one\n- two\n")]
    #[case("\\begin{enumerate} \\item a \\begin{itemize} \\item b \\end{itemize} \\end{enumerate}", "1. a\n\n   - b\n")]
    #[case("\\begin{verbatim}\n a_b $x\n\\end{verbatim}", "```\n a_b $x\n```\n")]
    #[case("\\[ x^2 \\] and \\( y \\)", "$$ x^2 $$\n\nand $ y $\n")]
    #[case("\\begin{align*} a &= b \\end{align*}", "$$\\begin{aligned} a &= b \\end{aligned}$$\n")]
    #[case("\\href{https://a.b/c_d}{here} \\url{https://x.y}", "[here](https://a.b/c_d) <https://x.y>\n")]
    #[case("\\illustration{0.4}{cave.jpg}{A cave}", "![A cave](cave.jpg)\n")]
    #[case("\\includegraphics[width=3cm]{a.png}", "![](a.png)\n")]
    #[case("\\nextsample \\constant{n}", "{{nextsample}}\n\n{{n}}\n")]
    #[case("2 * 3 < 4 # [x]", "2 \\* 3 \\< 4 \\# \\[x\\]\n")]
    #[case("a \\\\ b", "a  \nb\n")]
    #[case("\\documentclass{x}\n\\begin{document}\nHello\n\\end{document}\n", "Hello\n")]
    fn plain_statements(#[case] tex: &str, #[case] markdown: &str) {
        assert_eq!(to_markdown(tex).unwrap(), markdown);
    }

    #[rstest]
    #[case("One\n\\begin{tabular}{cc}a&b\\end{tabular}", 2, "\\begin{tabular}")]
    #[case("\\mycommand{x}", 1, "\\mycommand")]
    #[case("a\n\n$x", 3, "$")]
    #[case("{a", 1, "{")]
    #[case("a }", 1, "}")]
    #[case("\\begin{itemize}\\item a", 1, "\\begin{itemize}")]
    #[case("\\documentclass{x}\n\\begin{document}\n\\foo\n\\end{document}\n", 3, "\\foo")]
    fn other_statements_are_named(#[case] tex: &str, #[case] line: usize, #[case] what: &str) {
        assert_eq!(to_markdown(tex), Err(NotPlain { line, what: what.to_owned() }));
    }

    #[test]
    fn deep_nesting_ends() {
        assert!(to_markdown(&"{".repeat(100_000)).is_err());
        assert!(to_markdown(&"\\begin{itemize}\\item ".repeat(1_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_turned_or_refused(
            text in "(\\\\[a-z]{1,6}|\\\\begin\\{itemize\\}|\\\\end\\{itemize\\}|\\\\item|[{}$%~`'<>*_ \n\\\\a-c-]|\\PC){0,40}",
        ) {
            if let Err(bad) = to_markdown(&text) {
                prop_assert!(bad.line >= 1 && !bad.what.is_empty());
            }
        }
    }
}
