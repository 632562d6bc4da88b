//! What an output validator left in its feedback folder (format 2025-09, "Reporting additional feedback").
//!
//! Owns: which files mean something, and when what they say is a fault of the validator's. Must not know how it was
//! run, or who may read which message.

use super::checker::{Excerpt, parse_decimal};
use super::validator::OutputSaid;

/// The most that is kept of one message, bytes.
const LONGEST_MESSAGE: usize = 4 << 10;

/// What the problem's type lets a validator say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Expected {
    /// It may give points. Elsewhere `score.txt` and `score_multiplier.txt` mean nothing.
    pub points: bool,
    /// It may ask for another pass.
    pub passes: bool,
}

/// How many points an accepted output is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Points {
    /// So many (`score.txt`, testlib's `points`).
    Score(f64),
    /// This part of the most that the test gives, 0 to 1 (`score_multiplier.txt`).
    Multiplier(f64),
}

/// The files' meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Feedback {
    /// `judgemessage.txt`: for those who may see the test. Empty when there is none.
    pub judge: String,
    /// `teammessage.txt`: for the submission's author. Empty when there is none.
    pub team: String,
    /// `score.txt` or `score_multiplier.txt`.
    pub points: Option<Points>,
    /// `nextpass.in`: the program is to be run again with this input.
    pub next_pass: Option<Vec<u8>>,
}

/// Reads the folder's files (name, contents) of a validator that said `said`.
///
/// # Errors
/// A sentence about what the format calls a judge error: the result then is JE.
pub fn read<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    said: OutputSaid,
    expected: Expected,
) -> Result<Feedback, String> {
    let mut feedback = Feedback::default();
    let (mut score, mut multiplier) = (None, None);
    for (name, contents) in files {
        match name {
            "judgemessage.txt" => feedback.judge = message(contents),
            "teammessage.txt" => feedback.team = message(contents),
            "score.txt" => score = Some(contents),
            "score_multiplier.txt" => multiplier = Some(contents),
            "nextpass.in" => feedback.next_pass = Some(contents.to_vec()),
            _ => {}
        }
    }
    let accepted = matches!(said, OutputSaid::Accepted | OutputSaid::Points(_));
    if feedback.next_pass.is_some() {
        if !expected.passes {
            return Err("the output validator wrote nextpass.in, but the problem is not multi-pass".to_owned());
        }
        if !accepted {
            return Err("the output validator wrote nextpass.in and rejected the output".to_owned());
        }
    }
    if expected.points {
        feedback.points = match (score, multiplier) {
            (Some(_), Some(_)) => {
                return Err("the output validator wrote both score.txt and score_multiplier.txt".to_owned());
            }
            (Some(text), None) => Some(Points::Score(number("score.txt", text, f64::MAX)?)),
            (None, Some(text)) => Some(Points::Multiplier(number("score_multiplier.txt", text, 1.0)?)),
            (None, None) => None,
        };
        if feedback.points.is_some() && !accepted {
            return Err("the output validator gave points and rejected the output".to_owned());
        }
        if let OutputSaid::Points(points) = said {
            feedback.points = Some(Points::Score(points));
        }
    }
    Ok(feedback)
}

/// The one number of a file, from 0 to `most`.
fn number(file: &str, text: &[u8], most: f64) -> Result<f64, String> {
    parse_decimal(text.trim_ascii()).filter(|number| (0.0..=most).contains(number)).ok_or_else(|| {
        let shown = Excerpt { bytes: text[..text.len().min(60)].to_vec(), ..Excerpt::default() };
        let range = if most > 1.0 { "of at least 0" } else { "from 0 to 1" };
        format!("the output validator's {file} must hold one decimal number {range}, not `{shown}`")
    })
}

/// A message of at most 4 KiB: what doesn't belong in a text is escaped.
pub fn message(text: &[u8]) -> String {
    let text = text.trim_ascii();
    let kept = &text[..text.len().min(LONGEST_MESSAGE)];
    let lines: Vec<&[u8]> = kept.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    Excerpt { bytes: lines.join(&b'\n'), cut_before: false, cut_after: kept.len() < text.len() }.to_lines()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::grading::validator::Exit;
    use crate::sandbox::End;

    const ALL: Expected = Expected { points: true, passes: true };

    #[test]
    fn messages_are_bounded_and_escaped() {
        let long = "x".repeat(10_000);
        let files =
            [("judgemessage.txt", b"a\r\n\tb\0\xff\n\n".as_slice()), ("teammessage.txt", long.as_bytes()), ("x", b"y")];
        let feedback = read(files, OutputSaid::Accepted, ALL).unwrap();
        assert_eq!(feedback.judge, "a\n\tb\\u{0}\\xff");
        assert_eq!(feedback.team.chars().count(), LONGEST_MESSAGE + 1);
        assert_eq!((feedback.points, feedback.next_pass), (None, None));
    }

    #[rstest]
    #[case("score.txt", "12.5\n", Ok(Some(Points::Score(12.5))))]
    #[case("score.txt", "0", Ok(Some(Points::Score(0.0))))]
    #[case("score.txt", "-1", Err("of at least 0, not `-1`"))]
    #[case("score.txt", "nan", Err("not `nan`"))]
    #[case("score.txt", "1 2", Err("one decimal number"))]
    #[case("score.txt", "", Err("not ``"))]
    #[case("score_multiplier.txt", "0.25", Ok(Some(Points::Multiplier(0.25))))]
    #[case("score_multiplier.txt", "1.01", Err("from 0 to 1, not `1.01`"))]
    fn points_are_one_number(#[case] name: &str, #[case] text: &str, #[case] expected: Result<Option<Points>, &str>) {
        let found = read([(name, text.as_bytes())], OutputSaid::Accepted, ALL).map(|feedback| feedback.points);
        match expected {
            Ok(points) => assert_eq!(found, Ok(points)),
            Err(part) => assert!(found.as_ref().is_err_and(|sentence| sentence.contains(part)), "{found:?}"),
        }
        // Where there are no points, nobody asks what is in these files.
        let none = read([(name, text.as_bytes())], OutputSaid::Wrong, Expected::default());
        assert_eq!(none, Ok(Feedback::default()));
    }

    #[test]
    fn what_the_format_calls_a_judge_error_is_one() {
        let both = [("score.txt", b"1".as_slice()), ("score_multiplier.txt", b"1")];
        assert!(read(both, OutputSaid::Accepted, ALL).is_err());
        assert!(read([("score.txt", b"1".as_slice())], OutputSaid::Wrong, ALL).is_err());
        let next = [("nextpass.in", b"5\n".as_slice())];
        assert_eq!(read(next, OutputSaid::Accepted, ALL).unwrap().next_pass.as_deref(), Some(b"5\n".as_slice()));
        assert!(read(next, OutputSaid::Wrong, ALL).is_err());
        assert!(read(next, OutputSaid::Accepted, Expected { passes: false, ..ALL }).is_err());
    }

    #[test]
    fn testlib_gives_points_by_its_exit() {
        let feedback = read([], OutputSaid::Points(3.0), ALL).unwrap();
        assert_eq!(feedback.points, Some(Points::Score(3.0)));
        let fault = OutputSaid::Fault(Exit { end: End::Exited(3), killed: None });
        assert_eq!(read([], fault, Expected::default()), Ok(Feedback::default()));
    }

    proptest! {
        #[test]
        fn whatever_a_validator_writes_is_shown_safely_or_is_its_own_fault(
            files in proptest::collection::vec(
                (
                    prop::sample::select(vec![
                        "judgemessage.txt", "teammessage.txt", "score.txt", "score_multiplier.txt", "nextpass.in", "x",
                    ]),
                    prop_oneof![proptest::collection::vec(any::<u8>(), 0..200), "[-+0-9.eE \n]{0,12}".prop_map(String::into_bytes)],
                ),
                0..5,
            ),
            accepted in any::<bool>(), points in any::<bool>(), passes in any::<bool>(),
        ) {
            let said = if accepted { OutputSaid::Accepted } else { OutputSaid::Wrong };
            let expected = Expected { points, passes };
            let read = read(files.iter().map(|(name, contents)| (*name, contents.as_slice())), said, expected);
            let texts = match &read {
                Ok(feedback) => {
                    let number = match feedback.points {
                        Some(Points::Score(number)) => number,
                        Some(Points::Multiplier(number)) => {
                            prop_assert!(number <= 1.0);
                            number
                        }
                        None => 0.0,
                    };
                    prop_assert!(number.is_finite() && number >= 0.0);
                    prop_assert!(feedback.points.is_none() || points && accepted);
                    prop_assert!(feedback.next_pass.is_none() || passes && accepted);
                    vec![&feedback.judge, &feedback.team]
                }
                Err(sentence) => vec![sentence],
            };
            for text in texts {
                prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{text:?}");
            }
        }
    }
}
