//! How a package's validators are called and how they answer: as the ICPC problem package format says, or as testlib
//! does. Owns: telling the two apart by a program's sources.

use serde::{Deserialize, Serialize};

/// How a validator is called and what its exit codes mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// As the format says: `input answer feedback_dir/ [args] < output`, exit code 42 or 43.
    #[default]
    Icpc,
    /// testlib's: `input output answer`, exit code 0, 1, 2, ...
    Testlib,
}

/// testlib's header.
pub const TESTLIB: &str = "testlib.h";
/// The line by which a patched testlib.h says that it ends as the format's validators do.
const PATCHED: &[u8] = b"OK_EXIT_CODE 42";

impl Protocol {
    /// The protocol of a program with these source files (name, contents).
    ///
    /// A package doesn't say it; the program does, by including `testlib.h`. Some packages bring a `testlib.h` that was
    /// patched to end with 42 and 43 and to take the format's arguments: those are the format's.
    pub fn of_sources<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut protocol = Self::Icpc;
        for (name, contents) in files {
            if name == TESTLIB {
                if contents.windows(PATCHED.len()).any(|window| window == PATCHED) {
                    return Self::Icpc;
                }
            } else if line_with_testlib(contents).is_some() {
                protocol = Self::Testlib;
            }
        }
        protocol
    }
}

/// The first line, from 1, that includes testlib's header, however it is spaced and quoted.
pub fn line_with_testlib(source: &[u8]) -> Option<usize> {
    source.split(|&byte| byte == b'\n').position(includes_testlib).map(|index| index + 1)
}

fn includes_testlib(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"#") else { return false };
    let Some(rest) = rest.trim_ascii().strip_prefix(b"include") else { return false };
    let rest = rest.trim_ascii();
    let quoted = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"<"));
    quoted.is_some_and(|name| name.starts_with(TESTLIB.as_bytes()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(&[("check.cpp", "#include \"testlib.h\"\nint main() {}")], Protocol::Testlib)]
    #[case(&[("check.cpp", "// old\r\n  #  include <testlib.h>\r\n"), ("testlib.h", "#define OK_EXIT_CODE 0")], Protocol::Testlib)]
    #[case(&[("check.cpp", "#include \"testlib.h\""), ("testlib.h", "#   define OK_EXIT_CODE 42\n")], Protocol::Icpc)]
    #[case(&[("check.cpp", "#include <iostream>\n// like testlib.h\n")], Protocol::Icpc)]
    #[case(&[("check.cpp", "#include <iostream>\n"), ("testlib.h", "#define OK_EXIT_CODE 0")], Protocol::Icpc)]
    #[case(&[("check.py", "import sys\nsys.exit(42)")], Protocol::Icpc)]
    #[case(&[("testlib.h", "#include \"testlib.h\"")], Protocol::Icpc)]
    fn programs_show_whose_they_are(#[case] files: &[(&str, &str)], #[case] protocol: Protocol) {
        assert_eq!(Protocol::of_sources(files.iter().map(|(name, text)| (*name, text.as_bytes()))), protocol);
    }

    #[test]
    fn the_line_is_told() {
        assert_eq!(line_with_testlib(b"// x\n#include \"testlib.h\"\n"), Some(2));
        assert_eq!(line_with_testlib(b"#include \"lib/testlib.h\"\n"), None);
    }
}
