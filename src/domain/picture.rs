//! Pictures that programs of others drew: SVG, taken apart and written anew from what is known to be harmless. No
//! scripts, no styles, no addresses, nothing that reaches out of the picture.

use std::fmt::Write as _;

/// The largest picture, bytes.
pub const MAX_PICTURE_BYTES: usize = 256 * 1024;
/// The most elements.
const MAX_ELEMENTS: usize = 20_000;
/// The deepest nesting.
const MAX_DEPTH: usize = 32;

/// The elements that may be in a picture.
const ELEMENTS: [&str; 16] = [
    "svg",
    "g",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "title",
    "desc",
    "animate",
    "animateTransform",
    "set",
];
/// Those that move it.
const MOVING: [&str; 3] = ["animate", "animateTransform", "set"];
/// The attributes that may be on an element. None of them takes an address.
const ATTRIBUTES: [&str; 53] = [
    "viewBox",
    "width",
    "height",
    "preserveAspectRatio",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "dx",
    "dy",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "d",
    "points",
    "pathLength",
    "transform",
    "fill",
    "fill-opacity",
    "fill-rule",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-dasharray",
    "stroke-dashoffset",
    "opacity",
    "font-size",
    "font-family",
    "font-weight",
    "font-style",
    "text-anchor",
    "dominant-baseline",
    "role",
    "aria-label",
    "attributeName",
    "from",
    "to",
    "by",
    "values",
    "dur",
    "begin",
    "end",
    "repeatCount",
    "calcMode",
    "keyTimes",
    "keySplines",
    "type",
];

/// Why something is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the picture can't be used: {0}")]
pub struct BadPicture(String);

fn bad(what: impl Into<String>) -> BadPicture {
    BadPicture(what.into())
}

/// An element with what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Element(Element),
    Text(String),
}

/// A harmless picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture(Element);

impl Picture {
    /// Takes an SVG apart. Whatever isn't on the lists refuses the whole: a picture in part would mislead.
    ///
    /// # Errors
    /// [`BadPicture`] with the first thing that isn't allowed.
    pub fn parse(text: &str) -> Result<Self, BadPicture> {
        if text.len() > MAX_PICTURE_BYTES {
            return Err(bad(format!("it has {} bytes; at most {MAX_PICTURE_BYTES} are taken", text.len())));
        }
        let mut reader = Reader { rest: text.trim_start_matches('\u{feff}').trim_start(), elements: 0 };
        if let Some(behind) = reader.rest.strip_prefix("<?xml") {
            reader.rest = behind.split_once("?>").ok_or_else(|| bad("its first line doesn't end"))?.1;
        }
        reader.skip_comments()?;
        let root = reader.element(0)?;
        reader.skip_comments()?;
        if root.name != "svg" || !reader.rest.is_empty() {
            return Err(bad("it must be one svg element"));
        }
        if !root.attributes.iter().any(|(name, _)| *name == "viewBox") {
            return Err(bad("the svg element needs a viewBox"));
        }
        Ok(Self(root))
    }

    /// As SVG.
    pub fn moving(&self) -> String {
        self.write(true)
    }

    /// As SVG without its animations, for readers who asked for less motion.
    pub fn still(&self) -> String {
        self.write(false)
    }

    fn write(&self, moving: bool) -> String {
        let mut out = String::new();
        write_element(&mut out, &self.0, moving, true);
        out
    }
}

fn write_element(out: &mut String, element: &Element, moving: bool, root: bool) {
    if !moving && MOVING.contains(&element.name) {
        return;
    }
    let _ = write!(out, "<{}", element.name);
    if root {
        out.push_str(" xmlns=\"http://www.w3.org/2000/svg\"");
    }
    for (name, value) in &element.attributes {
        let _ = write!(out, " {name}=\"");
        escape(out, value);
        out.push('"');
    }
    let hidden = |node: &Node| matches!(node, Node::Element(child) if !moving && MOVING.contains(&child.name));
    if element.children.iter().all(hidden) {
        out.push_str("/>");
        return;
    }
    out.push('>');
    for child in &element.children {
        match child {
            Node::Element(element) => write_element(out, element, moving, false),
            Node::Text(text) => escape(out, text),
        }
    }
    let _ = write!(out, "</{}>", element.name);
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    elements: usize,
}

impl Reader<'_> {
    fn skip_comments(&mut self) -> Result<(), BadPicture> {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix("<!--") else { return Ok(()) };
            self.rest = comment.split_once("-->").ok_or_else(|| bad("a comment doesn't end"))?.1;
        }
    }

    fn element(&mut self, depth: usize) -> Result<Element, BadPicture> {
        self.elements += 1;
        if self.elements > MAX_ELEMENTS || depth > MAX_DEPTH {
            return Err(bad("it has too many elements, or they are nested too deep"));
        }
        self.rest = self.rest.strip_prefix('<').ok_or_else(|| bad("an element was expected"))?;
        let name = self.name();
        let name =
            ELEMENTS.into_iter().find(|known| *known == name).ok_or_else(|| bad(format!("<{name}> is not allowed")))?;
        let mut element = Element { name, attributes: Vec::new(), children: Vec::new() };
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                return Ok(element);
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                break;
            }
            self.attribute(&mut element.attributes)?;
        }
        self.children(&mut element, depth)?;
        Ok(element)
    }

    fn name(&mut self) -> String {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_' | '.')));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name.to_owned()
    }

    fn attribute(&mut self, attributes: &mut Vec<(&'static str, String)>) -> Result<(), BadPicture> {
        let name = self.name();
        if name.is_empty() {
            return Err(bad("an attribute was expected"));
        }
        let equals = self.rest.trim_start().strip_prefix('=').ok_or_else(|| bad(format!("{name} has no value")))?;
        let quoted = equals.trim_start();
        let quote =
            quoted.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(|| bad("a value needs quotes"))?;
        let (value, rest) = quoted[1..].split_once(quote).ok_or_else(|| bad("a value doesn't end"))?;
        self.rest = rest;
        let value = unescape(value)?;
        // Which language it is in is always the same and is written anew.
        if name == "xmlns" {
            return if value == "http://www.w3.org/2000/svg" { Ok(()) } else { Err(bad("it is not SVG")) };
        }
        let known = ATTRIBUTES.into_iter().find(|known| *known == name);
        let known = known.ok_or_else(|| bad(format!("the attribute {name} is not allowed")))?;
        check_value(known, &value)?;
        if attributes.iter().any(|(other, _)| *other == known) {
            return Err(bad(format!("{known} stands twice")));
        }
        attributes.push((known, value));
        Ok(())
    }

    fn children(&mut self, element: &mut Element, depth: usize) -> Result<(), BadPicture> {
        loop {
            let at = self.rest.find('<').ok_or_else(|| bad(format!("<{}> doesn't end", element.name)))?;
            let (text, rest) = self.rest.split_at(at);
            self.rest = rest;
            let text = unescape(text)?;
            if matches!(element.name, "text" | "tspan" | "title" | "desc") && !text.is_empty() {
                element.children.push(Node::Text(text));
            } else if !text.trim().is_empty() {
                return Err(bad(format!("a text stands in <{}>", element.name)));
            }
            if let Some(comment) = self.rest.strip_prefix("<!--") {
                self.rest = comment.split_once("-->").ok_or_else(|| bad("a comment doesn't end"))?.1;
            } else if let Some(rest) = self.rest.strip_prefix("</") {
                self.rest = rest;
                let name = self.name();
                let end = self.rest.trim_start().strip_prefix('>').filter(|_| name == element.name);
                self.rest = end.ok_or_else(|| bad(format!("<{}> is ended by </{name}>", element.name)))?;
                return Ok(());
            } else {
                let child = self.element(depth + 1)?;
                if child.name == "svg" {
                    return Err(bad("an svg stands inside another"));
                }
                element.children.push(Node::Element(child));
            }
        }
    }
}

/// Values that could mean more than a number, a colour or a word are refused.
fn check_value(name: &str, value: &str) -> Result<(), BadPicture> {
    let low = value.to_ascii_lowercase();
    let reaches_out = ["url", "script", "data:", "http", "expression", "import"].iter().any(|word| low.contains(word));
    if name != "aria-label" && (reaches_out || value.contains(['\\', '@', '<', '>'])) {
        return Err(bad(format!("the value of {name} is not allowed")));
    }
    if name == "attributeName" && (!ATTRIBUTES.contains(&value) || value == "attributeName") {
        return Err(bad(format!("{value} can't be animated")));
    }
    Ok(())
}

/// A text without its escapes. Only the five of XML and numbers are known: there are no others without a document type.
fn unescape(text: &str) -> Result<String, BadPicture> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let (name, after) = behind.split_once(';').ok_or_else(|| bad("an & stands alone"))?;
        let number = name.strip_prefix("#x").map(|digits| u32::from_str_radix(digits, 16));
        let number = number.or_else(|| name.strip_prefix('#').map(str::parse));
        out.push(match (name, number) {
            ("amp", _) => '&',
            ("lt", _) => '<',
            ("gt", _) => '>',
            ("quot", _) => '"',
            ("apos", _) => '\'',
            (_, Some(Ok(code))) => char::from_u32(code).ok_or_else(|| bad("an escape names no character"))?,
            _ => return Err(bad(format!("&{name}; is not known"))),
        });
        rest = after;
    }
    out.push_str(rest);
    if out.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(bad("it has control characters"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn svg(inside: &str) -> String {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">{inside}</svg>")
    }

    #[test]
    fn harmless_pictures_come_out_the_same() {
        let text =
            svg("<g transform=\"translate(1 2)\"><text x=\"1\">a &lt; b &amp; c</text><circle r=\"2\" fill=\"#fff\">\
            <animate attributeName=\"cx\" values=\"1;2\" dur=\"1s\" fill=\"freeze\"/></circle></g>");
        let picture = Picture::parse(&text).unwrap();
        assert_eq!(picture.moving(), text);
        assert!(!picture.still().contains("animate") && picture.still().contains("<circle r=\"2\" fill=\"#fff\"/>"));
        assert!(Picture::parse(&format!("<?xml version=\"1.0\"?>\n<!-- by us -->\n{}\n", svg("\n"))).is_ok());
    }

    #[rstest]
    #[case::script("<script>alert(1)</script>")]
    #[case::handler("<rect onload=\"alert(1)\"/>")]
    #[case::style_element("<style>*{background:url(x)}</style>")]
    #[case::style_attribute("<rect style=\"fill:red\"/>")]
    #[case::foreign("<foreignObject><p>x</p></foreignObject>")]
    #[case::image("<image href=\"//elsewhere.example/x.png\"/>")]
    #[case::link("<a href=\"javascript:alert(1)\"><rect/></a>")]
    #[case::reference("<use href=\"#x\"/>")]
    #[case::prefixed("<rect xlink:href=\"x\"/>")]
    #[case::address("<rect fill=\"url(//elsewhere.example/x)\"/>")]
    #[case::escaped_address("<rect fill=\"&#117;rl(x)\"/>")]
    #[case::css_escape("<rect fill=\"\\75rl(x)\"/>")]
    #[case::animated_handler("<set attributeName=\"onload\" to=\"alert(1)\"/>")]
    #[case::animated_address("<animate attributeName=\"href\" to=\"x\"/>")]
    #[case::cdata("<text><![CDATA[<script>]]></text>")]
    #[case::entity("<text>&x;</text>")]
    #[case::instruction("<?php x ?>")]
    #[case::not_closed("<g>")]
    #[case::crossed("<g><text></g></text>")]
    #[case::no_quotes("<rect x=1/>")]
    #[case::upper_case("<SCRIPT/>")]
    fn anything_else_is_refused(#[case] inside: &str) {
        assert!(Picture::parse(&svg(inside)).is_err());
    }

    #[rstest]
    #[case("<!DOCTYPE svg [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><svg viewBox=\"0 0 1 1\">&x;</svg>")]
    #[case("<html><svg viewBox=\"0 0 1 1\"/></html>")]
    #[case("<svg/>")]
    #[case("")]
    #[case("<svg viewBox=\"0 0 1 1\"/><svg viewBox=\"0 0 1 1\"/>")]
    #[case("<svg viewBox=\"0 0 1 1\" xmlns=\"http://www.w3.org/1999/xhtml\"/>")]
    fn only_one_svg_is_a_picture(#[case] text: &str) {
        assert!(Picture::parse(text).is_err());
    }

    proptest! {
        #[test]
        fn what_comes_out_is_on_the_lists(inside in "(<(g|text|rect|script|a|style)( (x|onload|href|fill)=\"[a-z(&;#/:]{0,6}\"){0,2}(/|)>|</(g|text)>|[a-z<&;! ]{0,5}){0,8}") {
            let Ok(picture) = Picture::parse(&svg(&inside)) else { return Ok(()) };
            let out = picture.moving();
            for word in ["<script", "<a", "<style", "onload=", "href=", "url("] {
                prop_assert!(!out.contains(word), "{}", out);
            }
            let again = Picture::parse(&out).unwrap();
            prop_assert_eq!(again.moving(), out);
        }

        #[test]
        fn no_bytes_are_too_much(text in "\\PC{0,200}") {
            let _ = Picture::parse(&text);
        }
    }
}
