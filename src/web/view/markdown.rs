//! Statements: Markdown with `$…$` and `$$…$$` math to safe HTML. Owns: the one door through which text that others
//! wrote becomes markup; whatever comes out has passed the allow-list. Must not know: problems, pages.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{footnotes, math};

/// HTML that went through the allow-list: templates may write it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeHtml(String);

impl fmt::Display for SafeHtml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl askama::filters::HtmlSafe for SafeHtml {}

/// A statement's Markdown as HTML. Headings begin at the second level: the first is the page's. Links to files of the
/// package get `base` in front.
pub fn render(markdown: &str, base: &str) -> SafeHtml {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH | Options::ENABLE_FOOTNOTES;
    let read = || Parser::new_ext(markdown, options);
    let highest = read().filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(level as usize),
        _ => None,
    });
    // Whether an author begins with # or with ##, the first heading below the page's own is of the second level.
    let highest = highest.min().unwrap_or(1);
    let events = read().map(|event| match event {
        Event::InlineMath(tex) => Event::InlineHtml(CowStr::from(math::to_mathml(&tex, math::Display::Inline))),
        Event::DisplayMath(tex) => Event::InlineHtml(CowStr::from(math::to_mathml(&tex, math::Display::Block))),
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Event::Start(Tag::Heading { level: lower(level, highest), id, classes, attrs })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level, highest))),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: below(base, &dest_url), title, id })
        }
        other => other,
    });
    let events = footnotes::at_the_end(without_inner_breaks(events.collect()));
    let mut html = String::with_capacity(markdown.len() * 2);
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    SafeHtml(ALLOWED.clean(&html).to_string())
}

/// Without the line breaks between two characters of a script that has no spaces between words: they would become ones.
fn without_inner_breaks(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let joins = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| events.get(before));
        let (Some(Event::Text(before)), Some(Event::Text(after))) = (before, events.get(at + 1)) else { return false };
        before.ends_with(is_without_spaces) && after.starts_with(is_without_spaces)
    };
    let inner: Vec<bool> =
        events.iter().enumerate().map(|(at, event)| matches!(event, Event::SoftBreak) && joins(at)).collect();
    events.into_iter().zip(inner).filter(|(_, inner)| !inner).map(|(event, _)| event).collect()
}

/// Han characters, kana, and their punctuation, which brings its own room.
const fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF01}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}')
}

/// A heading's level on the page when the highest of its statement is `highest`.
fn lower(level: HeadingLevel, highest: usize) -> HeadingLevel {
    HeadingLevel::try_from((level as usize + 2).saturating_sub(highest)).unwrap_or(HeadingLevel::H6)
}

/// A picture of the package; one that lies elsewhere would tell another host who reads the page, and is dropped.
fn below<'a>(base: &str, address: &str) -> CowStr<'a> {
    let relative = !address.contains(':') && !address.starts_with('/') && !address.split('/').any(|part| part == "..");
    if relative { CowStr::from(format!("{base}{address}")) } else { CowStr::from("") }
}

static ALLOWED: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let text = [
        "a",
        "b",
        "blockquote",
        "br",
        "code",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "figure",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "kbd",
        "li",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "var",
    ];
    let on_math = ["displaystyle", "scriptlevel", "mathvariant", "dir"];
    let operators = [
        "stretchy",
        "fence",
        "separator",
        "form",
        "largeop",
        "movablelimits",
        "symmetric",
        "lspace",
        "rspace",
        "minsize",
        "maxsize",
        "accent",
    ];
    let spaces = ["width", "height", "depth", "voffset", "lspace"];
    let mut attributes: HashMap<&str, HashSet<&str>> = HashMap::from([
        ("a", HashSet::from(["href", "title"])),
        ("img", HashSet::from(["src", "alt", "title", "width", "height"])),
        ("ol", HashSet::from(["start"])),
        ("td", HashSet::from(["colspan", "rowspan"])),
        ("th", HashSet::from(["colspan", "rowspan", "scope"])),
        ("math", HashSet::from(["display"])),
        ("mo", HashSet::from(operators)),
        ("mspace", HashSet::from(spaces)),
        ("mpadded", HashSet::from(spaces)),
        ("mfrac", HashSet::from(["linethickness"])),
        ("mover", HashSet::from(["accent"])),
        ("munder", HashSet::from(["accentunder"])),
        ("munderover", HashSet::from(["accent", "accentunder"])),
        ("mtable", HashSet::from(["columnalign", "rowspacing", "columnspacing"])),
        ("mtd", HashSet::from(["columnspan", "rowspan"])),
    ]);
    for tag in math::ELEMENTS {
        attributes.entry(tag).or_default().extend(on_math);
    }
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(text.into_iter().chain(math::ELEMENTS).collect())
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(attributes)
        .add_allowed_classes("mtable", math::TABLE_CLASSES)
        .add_allowed_classes("mtd", math::CELL_CLASSES)
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn html(markdown: &str) -> String {
        render(markdown, "/problems/x/files/").to_string()
    }

    #[test]
    fn markup_of_others_is_cut() {
        for (given, gone) in [
            ("<script>alert(1)</script>", "script"),
            ("<img src=x onerror=alert(1)>", "onerror"),
            ("[a](javascript:alert(1))", "javascript"),
            ("<p style=\"position:fixed\">x</p>", "style"),
            ("<iframe src=//x></iframe>", "iframe"),
            ("<form action=/logout><button>x</button></form>", "form"),
            ("![x](https://elsewhere.example/a.png)", "elsewhere"),
            ("![x](../../admin)", ".."),
            ("$\\text{<script>x</script>}$", "<script"),
            (
                "<math><annotation-xml encoding=\"text/html\"><style><img src=x onerror=1></style></annotation-xml></math>",
                "onerror",
            ),
        ] {
            assert!(!html(given).contains(gone), "{given} -> {}", html(given));
        }
    }

    #[test]
    fn math_becomes_mathml_and_stays() {
        let inline = html("where $1 \\le n \\le 10^9$ holds");
        assert!(inline.contains("<math") && inline.contains("<msup>") && inline.contains('≤'), "{inline}");
        let block = html("$$\\sum_{i=1}^{n} \\frac{a_i}{2}$$");
        assert!(block.contains("display=\"block\"") && block.contains("<mfrac>"), "{block}");
        assert!(html("$\\nosuchcommand$").contains("<code>"));
        assert!(html("it costs $5").contains("$5"));
    }

    #[test]
    fn headings_start_below_the_pages_own() {
        for markdown in ["# Input\n\n## More", "## Input\n\n### More"] {
            assert_eq!(html(markdown).replace('\n', ""), "<h2>Input</h2><h3>More</h3>");
        }
    }

    #[test]
    fn lines_of_chinese_are_joined_without_a_space() {
        assert_eq!(html("棋盘，\n如果能连上\nyes\n就消去"), "<p>棋盘，如果能连上\nyes\n就消去</p>\n");
        assert_eq!(html("one\ntwo"), "<p>one\ntwo</p>\n");
    }

    #[test]
    fn footnotes_are_numbered_as_they_are_meant_and_stand_at_the_end() {
        let given = "[^b]: The **second**.\n\nA[^a] and B[^b], again A[^a].\n\n[^a]: The first.\n\n[^never]: Unused.\n\nThe end.";
        let shown = html(given);
        let text = "A<sup>1</sup> and B<sup>2</sup>, again A<sup>1</sup>.";
        assert!(shown.find(text) < shown.find("The end.") && shown.contains(text), "{shown}");
        let notes: Vec<&str> = shown.split_once("<hr>").unwrap().1.split("<li>").skip(1).collect();
        assert!(notes[0].contains("The first") && notes[1].contains("<strong>second") && notes[2].contains("Unused"));
        assert!(!html("no[^x] note").contains("<sup>"), "what has no note is text");
    }

    proptest! {
        #[test]
        fn whatever_a_statement_holds_only_what_is_allowed_comes_out(
            markdown in "(<(script|img|a|p|svg|math|mi|iframe|style|base)( (on[a-z]{1,5}|href|src|style|class|id)=.?(javascript:|data:|//x|[a-z(]{0,4}).?){0,2}/?>|</?[a-z]{1,6}>|\\[x\\]\\((javascript:|/|x)[a-z]{0,3}\\)|!\\[\\]\\([a-z:/.]{0,9}\\)|\\$[\\\\a-z{}_^<]{0,9}\\$|[#>*`|~ \n-]{1,3}|\\[\\^[ab]\\]:?|\\PC{0,6}){0,10}",
        ) {
            let html = html(&markdown);
            // What the allow-list lets through once it lets through again: nothing in it can be read in two ways.
            prop_assert_eq!(ALLOWED.clean(&html).to_string(), html.clone());
            for tag in html.split('<').skip(1) {
                // Quotes in text are no attributes; in a tag there are only those of the allow-list.
                let tag = tag.split('>').next().unwrap_or_default().to_ascii_lowercase();
                for word in ["script", "iframe", "style", "base", "svg", "form", "object", "embed", "link", "meta"] {
                    prop_assert!(!tag.trim_start_matches('/').starts_with(word) || tag.starts_with("base:"), "<{tag}: {html}");
                }
                for attribute in [" on", " style=", " id=", "=\"javascript:", "=\"data:"] {
                    prop_assert!(!outside_values(&tag).contains(attribute), "<{tag}: {html}");
                }
            }
        }
    }

    /// A tag without what its attributes' values say, but for how each begins.
    fn outside_values(tag: &str) -> String {
        let mut out = String::new();
        for (at, piece) in tag.split('"').enumerate() {
            if at % 2 == 0 {
                out.push_str(piece);
            } else {
                out.push('"');
                out.push_str(
                    piece.split(':').next().map_or("", |scheme| if piece.contains(':') { scheme } else { "" }),
                );
                out.push(':');
            }
        }
        out
    }
}
