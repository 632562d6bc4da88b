//! What Java wants to know before compiling and running: the name of the public type, and the class with `main`.
//!
//! Owns: a reading of Java sources just deep enough for top-level declarations, and of class files just deep enough
//! for method names. Pure. Must not know: the sandbox, commands.

/// The name of the source's public top-level type, which is what javac wants the file to be called.
pub fn public_type(source: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut public = false;
    let mut declares = false;
    for token in Tokens::new(source) {
        match token {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                public = false;
            }
            ";" if depth == 0 => public = false,
            _ if depth > 0 => {}
            "public" => public = true,
            "class" | "interface" | "enum" | "record" => declares = true,
            name if declares => {
                if public && is_identifier(name) {
                    return Some(name.to_owned());
                }
                declares = false;
            }
            _ => {}
        }
    }
    None
}

fn is_identifier(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && word.len() <= 80
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Words and single punctuation marks of a Java source, without comments and literals.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn new(source: &'a str) -> Self {
        Self { rest: source }
    }

    fn skip_to(&mut self, end: &str) {
        self.rest = self.rest.find(end).map_or("", |at| &self.rest[at + end.len()..]);
    }

    /// Skips a literal whose opening quote is gone already; a backslash hides the next character.
    fn skip_literal(&mut self, quote: char) {
        let mut hidden = false;
        for (at, c) in self.rest.char_indices() {
            if hidden {
                hidden = false;
            } else if c == '\\' {
                hidden = true;
            } else if c == quote || c == '\n' {
                self.rest = &self.rest[at + c.len_utf8()..];
                return;
            }
        }
        self.rest = "";
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            if self.rest.starts_with("//") {
                self.skip_to("\n");
            } else if self.rest.starts_with("/*") {
                self.rest = &self.rest[2..];
                self.skip_to("*/");
            } else if self.rest.starts_with("\"\"\"") {
                self.rest = &self.rest[3..];
                self.skip_to("\"\"\"");
            } else if first == '"' || first == '\'' {
                self.rest = &self.rest[1..];
                self.skip_literal(first);
            } else {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let end = if is_word(first) {
                    self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len())
                } else {
                    first.len_utf8()
                };
                let (token, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(token);
            }
        }
    }
}

/// Why no class can be started. The sentences are shown as a compile error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMain {
    /// None has it.
    #[error("no class has a method `public static void main(String[])`")]
    Missing,
    /// Several have it.
    #[error("more than one class has a method `main`: {}; leave one", .0.join(", "))]
    Several(Vec<String>),
}

/// The one class that has `public static void main(String[])`, as `java` wants it named.
///
/// `classes` are (path below the class folder, contents) of class files.
pub fn main_class<'a>(classes: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<String, NoMain> {
    let mut found: Vec<String> = classes
        .into_iter()
        .filter(|(_, contents)| has_main(contents).unwrap_or(false))
        .map(|(path, _)| path.trim_end_matches(".class").replace('/', "."))
        .collect();
    found.sort();
    match found.len() {
        0 => Err(NoMain::Missing),
        1 => Ok(found.remove(0)),
        _ => Err(NoMain::Several(found)),
    }
}

/// Whether a class file declares a public static `main([Ljava/lang/String;)V` (JVM specification, chapter 4).
fn has_main(class: &[u8]) -> Option<bool> {
    let mut reader = Reader { rest: class };
    if reader.u32()? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let constants = usize::from(reader.u16()?);
    // Only the texts matter: names and descriptors.
    let mut texts: Vec<&[u8]> = vec![&[]; constants];
    let mut at = 1;
    while at < constants {
        match reader.u8()? {
            1 => {
                let len = usize::from(reader.u16()?);
                texts[at] = reader.take(len)?;
            }
            3 | 4 | 9..=12 | 17 | 18 => reader.skip(4)?,
            5 | 6 => {
                reader.skip(8)?;
                at += 1;
            }
            7 | 8 | 16 | 19 | 20 => reader.skip(2)?,
            15 => reader.skip(3)?,
            _ => return None,
        }
        at += 1;
    }
    reader.skip(6)?;
    let interfaces = usize::from(reader.u16()?);
    reader.skip(2 * interfaces)?;
    reader.members(&texts, |_, _, _| false)?;
    reader.members(&texts, |access, name, descriptor| {
        const PUBLIC_STATIC: u16 = 0x0001 | 0x0008;
        access & PUBLIC_STATIC == PUBLIC_STATIC && name == b"main" && descriptor == b"([Ljava/lang/String;)V"
    })
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    fn skip(&mut self, len: usize) -> Option<()> {
        self.take(len).map(|_| ())
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Walks over a table of fields or methods; whether `wanted` held for one.
    fn members(&mut self, texts: &[&[u8]], wanted: impl Fn(u16, &[u8], &[u8]) -> bool) -> Option<bool> {
        let mut found = false;
        for _ in 0..self.u16()? {
            let access = self.u16()?;
            let name = texts.get(usize::from(self.u16()?))?;
            let descriptor = texts.get(usize::from(self.u16()?))?;
            found |= wanted(access, name, descriptor);
            for _ in 0..self.u16()? {
                self.skip(2)?;
                let len = self.u32()?;
                self.skip(usize::try_from(len).ok()?)?;
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("public class Main { }", Some("Main"))]
    #[case("package a.b; import java.util.*; public final class Foo<T> extends Bar { }", Some("Foo"))]
    #[case("class A { public class B {} } public record R(int x) {}", Some("R"))]
    #[case("// public class No\n/* public class No */ class Yes { String s = \"public class No {\"; }", None)]
    #[case("@Deprecated public enum E { A }", Some("E"))]
    #[case("public interface I { char c = '{'; }", Some("I"))]
    #[case("class A { String s = \"\"\"\n } public class No \"\"\"; }", None)]
    #[case("", None)]
    fn the_public_type_is_found(#[case] source: &str, #[case] expected: Option<&str>) {
        assert_eq!(public_type(source).as_deref(), expected);
    }

    /// A class file with one method, put together by hand.
    fn class_with(access: u16, name: &str, descriptor: &str) -> Vec<u8> {
        let mut class = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61, 0, 5];
        for text in [name, descriptor] {
            class.push(1);
            class.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
            class.extend(text.as_bytes());
        }
        class.extend([5, 0, 0, 0, 0, 0, 0, 0, 0]);
        class.extend([0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        class.extend(access.to_be_bytes());
        class.extend([0, 1, 0, 2, 0, 0, 0, 0]);
        class
    }

    #[test]
    fn the_class_with_main_is_found() {
        let main = class_with(9, "main", "([Ljava/lang/String;)V");
        let other = class_with(9, "main", "()V");
        assert_eq!(
            main_class([("a/b/Foo.class", main.as_slice()), ("X.class", other.as_slice())]),
            Ok("a.b.Foo".into())
        );
        assert_eq!(main_class([("X.class", other.as_slice())]), Err(NoMain::Missing));
        assert_eq!(
            main_class([("B.class", main.as_slice()), ("A.class", main.as_slice())]),
            Err(NoMain::Several(vec!["A".into(), "B".into()]))
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes: Vec<u8>, text: String) {
            let mut class = vec![0xCA, 0xFE, 0xBA, 0xBE];
            class.extend(bytes);
            let _ = has_main(&class);
            let _ = public_type(&text);
        }
    }
}
