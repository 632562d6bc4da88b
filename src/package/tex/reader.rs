//! Reads TeX from left to right and writes Markdown. Must not know what a statement is.

use super::NotPlain;

/// The deepest nesting of groups and environments.
const MAX_DEPTH: usize = 24;

/// What ends a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop<'a> {
    /// The text's end.
    End,
    /// `}`
    Brace,
    /// `\end{name}`
    Environment(&'a str),
    /// `\item` or `\end{name}`, neither of them read.
    Item(&'a str),
}

/// What is left to read.
pub(super) struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

type Markdown = Result<String, NotPlain>;

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    /// The fault that something isn't plain, which begins at `place`.
    fn bad(&self, place: &str, what: impl Into<String>) -> NotPlain {
        let before = self.text.get(..self.text.len() - place.len()).unwrap_or_default();
        NotPlain { line: before.matches('\n').count() + 1, what: what.into() }
    }

    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// What comes before `end`, and goes on after it.
    fn until(&mut self, end: &str) -> Option<&'a str> {
        let (before, after) = self.rest.split_once(end)?;
        self.rest = after;
        Some(before)
    }

    /// Reads up to `stop`.
    pub(super) fn run(&mut self, stop: Stop<'_>, depth: usize) -> Markdown {
        let begin = self.rest;
        if depth > MAX_DEPTH {
            return Err(self.bad(begin, "{"));
        }
        let mut out = String::new();
        // What `{\bf ...}` began and the group's end ends.
        let mut open_marks: Vec<&str> = Vec::new();
        loop {
            let here = self.rest;
            let Some(letter) = here.chars().next() else {
                return match stop {
                    Stop::End => Ok(out),
                    Stop::Brace => Err(self.bad(begin, "{")),
                    Stop::Environment(name) | Stop::Item(name) => Err(self.bad(begin, format!("\\begin{{{name}}}"))),
                };
            };
            match letter {
                '}' if stop == Stop::Brace => {
                    self.eat("}");
                    let trailing = out.len() - out.trim_end().len();
                    let blanks = out.split_off(out.len() - trailing);
                    out.extend(open_marks.iter().rev().copied());
                    return Ok(out + blanks.as_str());
                }
                '}' => return Err(self.bad(here, "}")),
                '{' => {
                    self.eat("{");
                    out += &self.run(Stop::Brace, depth + 1)?;
                }
                '\\' => {
                    if let Stop::Item(name) = stop
                        && (is_command(here, "item") || here.starts_with(&format!("\\end{{{name}}}")))
                    {
                        return Ok(out);
                    }
                    if let Stop::Environment(name) = stop
                        && self.eat(&format!("\\end{{{name}}}"))
                    {
                        return Ok(out);
                    }
                    let mark = self.command(&mut out, depth)?;
                    out += mark.unwrap_or_default();
                    open_marks.extend(mark);
                }
                '$' => out += &self.mathematics(here)?,
                _ => self.letters(letter, &mut out, stop == Stop::Brace),
            }
        }
    }

    fn mathematics(&mut self, here: &'a str) -> Markdown {
        let fence = if self.eat("$$") { "$$" } else { "$" };
        if fence == "$" {
            self.eat("$");
        }
        let inside = self.until(fence).ok_or_else(|| self.bad(here, fence))?;
        Ok(if fence == "$$" { format!("\n\n$${inside}$$\n\n") } else { format!("${inside}$") })
    }

    /// Text, comments, quotes, dashes and blanks.
    fn letters(&mut self, letter: char, out: &mut String, in_line: bool) {
        const LIGATURES: [(&str, &str); 9] = [
            ("``", "“"),
            ("''", "”"),
            ("---", "—"),
            ("--", "–"),
            ("<<", "«"),
            (">>", "»"),
            ("`", "‘"),
            ("'", "’"),
            ("~", "\u{a0}"),
        ];
        if letter == '%' {
            let _ = self.until("\n").is_some() || self.eat(self.rest);
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            return;
        }
        if letter.is_whitespace() {
            let trimmed = self.rest.trim_start();
            let blanks = self.rest.get(..self.rest.len() - trimmed.len()).unwrap_or_default();
            // A line's end is a blank: Markdown must not see marks of its own at a line's beginning.
            let at_begin = (out.is_empty() && !in_line) || out.ends_with('\n');
            if blanks.matches('\n').count() > 1 {
                out.push_str("\n\n");
            } else if !at_begin {
                out.push(' ');
            }
            self.rest = trimmed;
            return;
        }
        for (tex, text) in LIGATURES {
            if self.eat(tex) {
                return out.push_str(text);
            }
        }
        self.rest = self.rest.get(letter.len_utf8()..).unwrap_or_default();
        let at_begin = out.is_empty() || out.ends_with('\n');
        if "*_#<>[]|`&\\".contains(letter) || (at_begin && "-+=".contains(letter)) {
            out.push('\\');
        }
        out.push(letter);
    }

    /// A command. Returns the mark of a change of font that holds to the group's end.
    fn command(&mut self, out: &mut String, depth: usize) -> Result<Option<&'static str>, NotPlain> {
        let here = self.rest;
        let after = here.get(1..).unwrap_or_default();
        let length = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        if length == 0 {
            self.symbol(out, here)?;
            return Ok(None);
        }
        let (name, rest) = after.split_at(length);
        self.rest = rest;
        self.eat("*");
        if !self.rest.starts_with('{') {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
        }
        match name {
            "bf" | "bfseries" => return Ok(Some("**")),
            "it" | "em" | "itshape" => return Ok(Some("*")),
            _ => {}
        }
        let text = self.meaning(here, name, depth)?;
        out.push_str(&text);
        Ok(None)
    }

    /// What a command with a name puts into the text.
    fn meaning(&mut self, here: &'a str, name: &str, depth: usize) -> Markdown {
        Ok(match name {
            "textbf" => format!("**{}**", self.argument(here, name, depth)?.trim()),
            "emph" | "textit" => format!("*{}*", self.argument(here, name, depth)?.trim()),
            "texttt" | "t" | "tt" | "verb" => self.code(here, name)?,
            "underline" | "sout" | "textsc" | "mbox" | "text" | "textrm" => self.argument(here, name, depth)?,
            "section" => format!("\n\n## {}\n\n", self.argument(here, name, depth)?.trim()),
            "subsection" | "paragraph" => format!("\n\n### {}\n\n", self.argument(here, name, depth)?.trim()),
            "url" => format!("<{}>", self.raw(here, name)?),
            "href" => {
                let target = self.raw(here, name)?;
                format!("[{}]({target})", self.argument(here, name, depth)?)
            }
            "ldots" | "dots" | "textellipsis" => "…".to_owned(),
            "problemname" => {
                if self.rest.starts_with('{') {
                    self.argument(here, name, depth)?;
                }
                String::new()
            }
            "illustration" => {
                let (_, file) = (self.raw(here, name)?, self.raw(here, name)?);
                format!("\n\n![{}]({file})\n\n", self.argument(here, name, depth)?.trim())
            }
            "includegraphics" => {
                if self.eat("[") && self.until("]").is_none() {
                    return Err(self.bad(here, format!("\\{name}")));
                }
                format!("![]({})", self.raw(here, name)?)
            }
            "caption" => format!("\n\n*{}*\n\n", self.argument(here, name, depth)?.trim()),
            "nextsample" | "remainingsamples" => format!("\n\n{{{{{name}}}}}\n\n"),
            "constant" => format!("{{{{{}}}}}", self.raw(here, name)?),
            "begin" => {
                let environment = self.raw(here, name)?;
                self.environment(here, environment, depth + 1)?
            }
            "par" => "\n\n".to_owned(),
            // How it looks on paper.
            "noindent" | "centering" | "smallskip" | "medskip" | "bigskip" | "tiny" | "scriptsize" | "small"
            | "normalsize" | "large" | "Large" | "LARGE" | "huge" | "Huge" | "newpage" | "hfill" => String::new(),
            _ => return Err(self.bad(here, format!("\\{name}"))),
        })
    }

    /// A backslash and a sign.
    fn symbol(&mut self, out: &mut String, here: &'a str) -> Result<(), NotPlain> {
        for (begin, end, fence, around) in [("\\[", "\\]", "$$", "\n\n"), ("\\(", "\\)", "$", "")] {
            if self.eat(begin) {
                let inside = self.until(end).ok_or_else(|| self.bad(here, begin))?;
                out.extend([around, fence, inside, fence, around]);
                return Ok(());
            }
        }
        if self.eat("\\\\") {
            out.truncate(out.trim_end().len());
            out.push_str("  \n");
            self.rest = self.rest.trim_start();
            return Ok(());
        }
        let sign = here.chars().nth(1).unwrap_or('\\');
        self.rest = here.get(1 + sign.len_utf8()..).unwrap_or_default();
        match sign {
            '#' | '_' | '&' => out.extend(['\\', sign]),
            '%' | '$' | '{' | '}' | ' ' => out.push(sign),
            ',' | ';' | ':' => out.push(' '),
            '!' | '/' | '-' => {}
            _ => return Err(self.bad(here, here.chars().take(2).collect::<String>())),
        }
        Ok(())
    }

    /// A command's argument as Markdown.
    fn argument(&mut self, here: &str, name: &str, depth: usize) -> Markdown {
        if !self.eat("{") {
            return Err(self.bad(here, format!("\\{name}")));
        }
        self.run(Stop::Brace, depth + 1)
    }

    /// A command's argument as it is.
    fn raw(&mut self, here: &str, name: &str) -> Result<&'a str, NotPlain> {
        let inside = if self.eat("{") { self.until("}") } else { None };
        inside.ok_or_else(|| self.bad(here, format!("\\{name}")))
    }

    /// Typewriter letters.
    fn code(&mut self, here: &str, name: &str) -> Markdown {
        let inside = if name == "verb" {
            let fence = self.rest.chars().next().unwrap_or(' ').to_string();
            self.eat(&fence);
            self.until(&fence).ok_or_else(|| self.bad(here, "\\verb"))?.to_owned()
        } else {
            let mut inside = self.raw(here, name)?.to_owned();
            while inside.ends_with('\\') {
                let more = self.until("}").ok_or_else(|| self.bad(here, format!("\\{name}")))?;
                inside = format!("{inside}}}{more}");
            }
            for sign in ["_", "%", "$", "&", "#", "{", "}"] {
                inside = inside.replace(&format!("\\{sign}"), sign);
            }
            inside
        };
        if inside.contains(['\\', '`']) || inside.contains('$') {
            return Err(self.bad(here, format!("\\{name}")));
        }
        Ok(format!("`{inside}`"))
    }

    fn environment(&mut self, here: &'a str, name: &str, depth: usize) -> Markdown {
        match name {
            "itemize" | "enumerate" => self.list(name, depth),
            "Input" | "Output" | "Interaction" => {
                Ok(format!("\n\n## {name}\n\n{}\n\n", self.run(Stop::Environment(name), depth)?))
            }
            "center" | "figure" | "document" => Ok(format!("\n\n{}\n\n", self.run(Stop::Environment(name), depth)?)),
            "quote" => {
                let inside = self.run(Stop::Environment(name), depth)?;
                let lines: Vec<String> = inside.trim().lines().map(|line| format!("> {line}")).collect();
                Ok(format!("\n\n{}\n\n", lines.join("\n")))
            }
            "verbatim" | "lstlisting" => {
                let inside = self.until(&format!("\\end{{{name}}}"));
                let inside = inside.ok_or_else(|| self.bad(here, format!("\\begin{{{name}}}")))?;
                if inside.contains("```") {
                    return Err(self.bad(here, format!("\\begin{{{name}}}")));
                }
                Ok(format!("\n\n```\n{}\n```\n\n", inside.trim_matches('\n')))
            }
            "equation" | "equation*" | "displaymath" | "align" | "align*" => {
                let inside = self.until(&format!("\\end{{{name}}}"));
                let inside = inside.ok_or_else(|| self.bad(here, format!("\\begin{{{name}}}")))?;
                let inside = match name.trim_end_matches('*') {
                    "align" => format!("\\begin{{aligned}}{inside}\\end{{aligned}}"),
                    _ => inside.to_owned(),
                };
                Ok(format!("\n\n$${inside}$$\n\n"))
            }
            _ => Err(self.bad(here, format!("\\begin{{{name}}}"))),
        }
    }

    fn list(&mut self, name: &str, depth: usize) -> Markdown {
        let mut out = String::from("\n\n");
        // What stands before the first item is blank.
        self.run(Stop::Item(name), depth)?;
        let mut number = 0;
        while !self.eat(&format!("\\end{{{name}}}")) {
            self.rest = self.rest.get("\\item".len()..).unwrap_or_default();
            let text = self.run(Stop::Item(name), depth)?;
            number += 1;
            let mark = if name == "enumerate" { format!("{number}. ") } else { "- ".to_owned() };
            let indent = " ".repeat(mark.len());
            out += &mark;
            out += &super::tidy(&text).trim_end().replace('\n', &format!("\n{indent}"));
            out.push('\n');
        }
        Ok(out + "\n\n")
    }
}

/// Whether the text begins with this command and not with a longer one.
fn is_command(text: &str, name: &str) -> bool {
    text.strip_prefix('\\')
        .and_then(|rest| rest.strip_prefix(name))
        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}
