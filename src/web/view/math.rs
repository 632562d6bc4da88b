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
    let storage = Storage::new();
    let events: Result<Vec<_>, _> = Parser::new(tex, &storage).collect();
    let display_mode = match display {
        Display::Inline => DisplayMode::Inline,
        Display::Block => DisplayMode::Block,
    };
    let mut mathml = String::new();
    let written = events.is_ok_and(|events| {
        let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
        push_mathml(&mut mathml, events, RenderConfig { display_mode, ..RenderConfig::default() }).is_ok()
    });
    if written { mathml } else { format!("<code>{}</code>", escape(tex)) }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
