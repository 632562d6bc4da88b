//! TeX math to MathML. Owns: which MathML elements and classes can come out. Must not know: Markdown, pages.

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

/// Where a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Display {
    /// In a line of text.
    Inline,
    /// On a line of its own.
    Block,
}

/// The MathML Core elements that formulas are made of. `annotation` and `semantics` are left out: they can carry HTML.
pub const ELEMENTS: [&str; 23] = [
    "math",
    "mrow",
    "mi",
    "mn",
    "mo",
    "mtext",
    "mspace",
    "ms",
    "mfrac",
    "msqrt",
    "mroot",
    "mstyle",
    "mpadded",
    "mphantom",
    "msub",
    "msup",
    "msubsup",
    "munder",
    "mover",
    "munderover",
    "mtable",
    "mtr",
    "mtd",
];

/// Classes of tables in formulas; the stylesheet knows them.
pub const TABLE_CLASSES: [&str; 5] =
    ["menv-alignlike", "menv-align", "menv-arraylike", "menv-cells-left", "menv-cases"];
/// Classes of table cells in formulas.
pub const CELL_CLASSES: [&str; 2] = ["cell-left", "cell-right"];

/// The formula as MathML, or its text as code where it can't be read.
pub fn to_mathml(tex: &str, display: Display) -> String {
    // The parser panics on some texts that are no formulas; whoever reads the page sees them as they were written.
    let written = std::panic::catch_unwind(|| written(tex, display)).ok().flatten();
    written.unwrap_or_else(|| format!("<code>{}</code>", escape(tex)))
}

/// `None` where it can't be read.
fn written(tex: &str, display: Display) -> Option<String> {
    // The parser cuts behind the first byte of a command's name.
    let mut chars = tex.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|name| !name.is_ascii()) {
            return None;
        }
    }
    let storage = Storage::new();
    let events: Vec<_> = Parser::new(tex, &storage).collect::<Result<_, _>>().ok()?;
    let display_mode = match display {
        Display::Inline => DisplayMode::Inline,
        Display::Block => DisplayMode::Block,
    };
    let mut mathml = String::new();
    let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
    push_mathml(&mut mathml, events, RenderConfig { display_mode, ..RenderConfig::default() }).ok()?;
    Some(mathml)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_formula_is_shown_as_it_was_written() {
        for text in ["\\é", "\\\u{1e130}", "<b>\\中", "{"] {
            let shown = to_mathml(text, Display::Inline);
            assert_eq!(shown, format!("<code>{}</code>", escape(text)), "{text}");
        }
        assert!(to_mathml("\\alpha_1 + é", Display::Block).starts_with("<math"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_formula_or_is_shown_as_it_is(text in "([\\\\][a-z]{0,8}|[\\\\{}^_&$ ]|\\PC){0,12}") {
            let shown = to_mathml(&text, Display::Inline);
            prop_assert!(shown.starts_with("<math") || shown == format!("<code>{}</code>", escape(&text)), "{shown}");
        }
    }
}
