//! Families of programming languages: what the name and the text of a program tell of the language it is written in.
//! Must not know: which languages a host offers.

use super::language::LanguageId;

/// Languages that look alike: all standards of C++ are one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// C, all standards.
    C,
    /// C++, all standards.
    Cpp,
    /// Rust.
    Rust,
    /// Java.
    Java,
    /// JavaScript.
    JavaScript,
    /// Python.
    Python,
}

/// A sign in a text decides for its family; the first family of this list that has one wins. So a family stands before
/// those whose signs its programs may hold too: Rust writes `std::` as C++ does, C++ includes what C includes.
pub const SIGNS: [(Family, &[&str]); 6] = [
    (Family::Java, &["public static void main", "import java.", "System.out.", "public class "]),
    (Family::Rust, &["fn main(", "println!", "use std::", "let mut ", "#![", "impl "]),
    (
        Family::Cpp,
        &[
            "#include <iostream>",
            "#include<iostream>",
            "#include <bits/",
            "#include<bits/",
            "#include <c",
            "#include <vector>",
            "#include <string>",
            "#include <algorithm>",
            "using namespace",
            "std::",
            "template <",
            "template<",
            "cin >>",
            "cout <<",
            "constexpr ",
        ],
    ),
    (Family::C, &["#include", "scanf(", "int main(void)", "typedef struct"]),
    (
        Family::JavaScript,
        &["console.log", "require(", "process.stdin", "function ", "=>", "const ", "let ", "'use strict'"],
    ),
    (Family::Python, &["print(", "input()", "import sys", "sys.stdin", "def ", "elif ", "import math", "from "]),
];

impl Family {
    /// Its name in pages and addresses.
    pub const fn code(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Python => "python",
        }
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Rust => "Rust",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
        }
    }

    /// The family that a program was more likely written in than in this one: it has signs of that and none of this.
    pub fn mistaken_for(self, text: &str) -> Option<Self> {
        let has_own =
            SIGNS.iter().any(|(family, signs)| *family == self && signs.iter().any(|sign| text.contains(sign)));
        // What is C to the eye is C++ to its compiler, or nearly.
        Self::of_text(text).filter(|found| *found != self && !has_own && (self, *found) != (Self::Cpp, Self::C))
    }

    /// The family that a language belongs to, by its id: `cpp20` is C++.
    pub fn of(language: &LanguageId) -> Option<Self> {
        let id = language.as_str();
        let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
        match name {
            "c" => Some(Self::C),
            "cpp" => Some(Self::Cpp),
            "rust" => Some(Self::Rust),
            "java" => Some(Self::Java),
            "javascript" => Some(Self::JavaScript),
            "python" | "pypy" => Some(Self::Python),
            _ => None,
        }
    }

    /// The family that a file name's ending names.
    pub fn of_file(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "c" | "h" => Self::C,
            "cpp" | "cc" | "cxx" | "c++" | "hpp" => Self::Cpp,
            "rs" => Self::Rust,
            "java" => Self::Java,
            "js" | "mjs" | "cjs" => Self::JavaScript,
            "py" | "py3" => Self::Python,
            _ => return None,
        })
    }

    /// The family that a program's text looks like.
    pub fn of_text(text: &str) -> Option<Self> {
        SIGNS.iter().find(|(_, signs)| signs.iter().any(|sign| text.contains(sign))).map(|(family, _)| *family)
    }

    /// The name decides where it can, then the text.
    pub fn guess(name: Option<&str>, text: &str) -> Option<Self> {
        name.and_then(Self::of_file).or_else(|| Self::of_text(text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_name_wins(Some("a.py"), "#include <iostream>", Some(Family::Python))]
    #[case::case_of_the_ending(Some("A.CPP"), "", Some(Family::Cpp))]
    #[case::unknown_ending(Some("a.txt"), "print(1)\n", Some(Family::Python))]
    #[case::iostream(None, "#include <iostream>\nint main() { std::cout << 1; }\n", Some(Family::Cpp))]
    #[case::bits(None, "#include<bits/stdc++.h>\n", Some(Family::Cpp))]
    #[case::c_headers_in_cpp(None, "#include <cstdio>\nint main() { printf(\"1\"); }", Some(Family::Cpp))]
    #[case::cpp_with_a_c_header(None, "#include <stdio.h>\nusing namespace std;\n", Some(Family::Cpp))]
    #[case::c(None, "#include <stdio.h>\nint main(void) { printf(\"1\"); }", Some(Family::C))]
    #[case::rust(None, "use std::io;\nfn main() { println!(\"1\"); }", Some(Family::Rust))]
    #[case::java(None, "public class A { public static void main(String[] a) {} }", Some(Family::Java))]
    #[case::javascript(None, "const a = require('fs');\nconsole.log(a)", Some(Family::JavaScript))]
    #[case::python(None, "n = int(input())\nprint(n)\n", Some(Family::Python))]
    #[case::nothing(None, "int main() {}", None)]
    #[case::empty(None, "", None)]
    fn names_and_texts_tell(#[case] name: Option<&str>, #[case] text: &str, #[case] family: Option<Family>) {
        assert_eq!(Family::guess(name, text), family);
    }

    #[rstest]
    #[case::java_as_python(
        Family::Python,
        "import java.util.*;\npublic class A { public static void main(String[] a) {} }",
        Some(Family::Java)
    )]
    #[case::cpp_as_c(Family::C, "#include <iostream>\nint main() { std::cout << 1; }", None)]
    #[case::cpp_as_python(Family::Python, "#include <bits/stdc++.h>\nint main() {}", Some(Family::Cpp))]
    #[case::c_as_cpp(Family::Cpp, "#include <stdio.h>\nint main(void) { printf(\"1\"); }", None)]
    #[case::python_as_cpp(Family::Cpp, "n = int(input())\nprint(n)\n", Some(Family::Python))]
    #[case::its_own(Family::Python, "print(1)\n", None)]
    #[case::signs_of_both(Family::Python, "def main():\n    '#include <iostream>'\n", None)]
    #[case::no_signs(Family::Python, "?", None)]
    fn a_text_in_another_language_is_told(#[case] family: Family, #[case] text: &str, #[case] told: Option<Family>) {
        assert_eq!(family.mistaken_for(text), told);
    }

    #[test]
    fn ids_belong_to_families() {
        let of = |id: &str| Family::of(&id.parse().unwrap());
        assert_eq!(of("cpp17"), Some(Family::Cpp));
        assert_eq!(of("c11"), Some(Family::C));
        assert_eq!(of("python3"), Some(Family::Python));
        assert_eq!(of("elf"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_guessed_and_a_known_ending_decides(text in "(?s).{0,200}", name in "\\PC{0,20}") {
            let by_name = Family::of_file(&name);
            let guessed = Family::guess(Some(&name), &text);
            prop_assert_eq!(guessed, by_name.or(Family::of_text(&text)));
            prop_assert_eq!(Family::guess(Some(&format!("{name}.py")), &text), Some(Family::Python));
        }
    }
}
