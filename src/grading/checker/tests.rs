//! The checker against a simple one that holds both texts whole, and the traps by name.

use std::io::{self, Read};

use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn flags(args: &str) -> CheckerFlags {
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    CheckerFlags::parse(&args).unwrap()
}

fn check(answer: &[u8], output: &[u8], args: &str) -> Comparison {
    compare(answer, output, &flags(args)).unwrap()
}

fn sentence(answer: &[u8], output: &[u8], args: &str) -> String {
    match check(answer, output, args) {
        Comparison::Same => "same".to_owned(),
        Comparison::Different(difference) => difference.to_string(),
    }
}

#[rstest]
#[case("", Ok(CheckerFlags::default()))]
#[case("case_sensitive space_change_sensitive", Ok(CheckerFlags {
    case_sensitive: true, space_change_sensitive: true, ..CheckerFlags::default()
}))]
#[case("float_tolerance 1e-6", Ok(CheckerFlags {
    float_absolute_tolerance: Some(1e-6), float_relative_tolerance: Some(1e-6), ..CheckerFlags::default()
}))]
#[case("float_absolute_tolerance 0 float_relative_tolerance .5", Ok(CheckerFlags {
    float_absolute_tolerance: Some(0.0), float_relative_tolerance: Some(0.5), ..CheckerFlags::default()
}))]
#[case("ignore_case", Err(BadFlag::Unknown("ignore_case".into())))]
#[case("Case_sensitive", Err(BadFlag::Unknown("Case_sensitive".into())))]
#[case("float_tolerance", Err(BadFlag::NoValue("float_tolerance".into())))]
#[case("float_tolerance inf", Err(BadFlag::BadValue { flag: "float_tolerance".into(), value: "inf".into() }))]
#[case("float_tolerance -1", Err(BadFlag::BadValue { flag: "float_tolerance".into(), value: "-1".into() }))]
#[case("float_tolerance 1 float_tolerance 1", Err(BadFlag::Again("float_tolerance".into())))]
#[case("float_relative_tolerance 1 float_tolerance 1", Err(BadFlag::Again("float_tolerance".into())))]
#[case("float_tolerance 1 float_absolute_tolerance 1", Err(BadFlag::Again("float_absolute_tolerance".into())))]
fn arguments(#[case] args: &str, #[case] expected: Result<CheckerFlags, BadFlag>) {
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    assert_eq!(CheckerFlags::parse(&args), expected);
}

#[rstest]
#[case::empty("", "", "", true)]
#[case::crlf("1\n2\n", "1\r\n2\r\n", "", true)]
#[case::no_last_newline("1\n", "1", "", true)]
#[case::blanks("1 2\n", "  1\t\x0b2 \x0c\n\n", "", true)]
#[case::lines_joined("1\n2\n", "1 2", "", true)]
#[case::case_folds("Yes\n", "yES\n", "", true)]
#[case::case_counts("Yes\n", "yES\n", "case_sensitive", false)]
#[case::case_of_other_letters("É", "é", "", false)]
#[case::at_sign_is_no_letter("@", "`", "", false)]
#[case::only_spaces("", " \n", "", true)]
#[case::other_spaces_are_tokens("1 2", "1\u{a0}2", "", false)]
#[case::missing("1 2", "1", "", false)]
#[case::nothing("1", "", "", false)]
#[case::extra("1", "1 2", "", false)]
#[case::prefix("12", "1", "", false)]
#[case::longer("1", "12", "", false)]
#[case::split("12", "1 2", "", false)]
#[case::zeros_are_text("0", "00", "", false)]
#[case::bom("1", "\u{feff}1", "", false)]
#[case::spaces_same("a  b\n", "a  b\n", "space_change_sensitive", true)]
#[case::spaces_more("a b\n", "a  b\n", "space_change_sensitive", false)]
#[case::spaces_other("a b\n", "a\tb\n", "space_change_sensitive", false)]
#[case::spaces_crlf("a\n", "a\r\n", "space_change_sensitive", false)]
#[case::spaces_last_newline("a\n", "a", "space_change_sensitive", false)]
#[case::spaces_leading("a\n", " a\n", "space_change_sensitive", false)]
#[case::spaces_trailing("a\n", "a\n\n", "space_change_sensitive", false)]
#[case::spaces_and_floats("1.0  2\n", "1.00  2.0\n", "space_change_sensitive float_tolerance 0", true)]
#[case::spaces_differ_after_float("1.0  2\n", "1.00 2.0\n", "space_change_sensitive float_tolerance 0", false)]
#[case::float_text_without_tolerance("1.0", "1.00", "", false)]
#[case::float_equal("1.0", "1.00", "float_tolerance 0", true)]
#[case::float_negative_zero("0", "-0.0", "float_tolerance 0", true)]
#[case::float_negative_zero_as_text("0", "-0.0", "", false)]
#[case::float_absolute("1.0", "1.25", "float_absolute_tolerance 0.25", true)]
#[case::float_absolute_over("1.0", "1.26", "float_absolute_tolerance 0.25", false)]
#[case::float_relative("100", "101", "float_relative_tolerance 0.01", true)]
#[case::float_relative_is_of_the_answer("100", "101.5", "float_relative_tolerance 0.01", false)]
#[case::float_relative_of_zero("0", "0.0001", "float_relative_tolerance 0.01", false)]
#[case::float_either("0", "0.0001", "float_tolerance 0.01", true)]
#[case::float_exponent("1e3", "1000", "float_tolerance 0", true)]
#[case::float_points("1.", "1", "float_tolerance 0", true)]
#[case::float_leading_point(".5", "0.5", "float_tolerance 0", true)]
#[case::float_bad_exponent("100", "100e", "float_tolerance 1", false)]
#[case::float_hexadecimal("16", "0x10", "float_tolerance 1", false)]
#[case::float_nan("1", "nan", "float_tolerance 1e9", false)]
#[case::float_inf("1", "inf", "float_tolerance 1e9", false)]
#[case::nan_is_text("nan", "NaN", "float_tolerance 1", true)]
#[case::text_among_floats("yes 1", "YES 1.0", "float_tolerance 0", true)]
#[case::number_for_text("x", "1", "float_tolerance 1", false)]
#[case::integers_are_floats_too("3", "4", "float_tolerance 1", true)]
#[case::too_large_is_text("1e999", "1E999", "float_tolerance 1", true)]
#[case::too_large_and_another("1e999", "2e999", "float_tolerance 1", false)]
#[case::float_case_sensitive("1e3", "1E3", "float_tolerance 0 case_sensitive", true)]
fn texts(#[case] answer: &str, #[case] output: &str, #[case] args: &str, #[case] same: bool) {
    assert_eq!(check(answer.as_bytes(), output.as_bytes(), args).is_same(), same);
}

#[rstest]
#[case::nul_ends_nothing(b"a", b"a\0x", false)]
#[case::nul_alone(b"a\n", b"a\n\0", false)]
#[case::nul_same(b"a\0x", b"A\0X", true)]
#[case::ff(b"1", b"\xff", false)]
#[case::ff_after(b"1", b"1\xff", false)]
#[case::ff_same(b"\xff\xfe", b"\xff\xfe\n", true)]
fn bytes(#[case] answer: &[u8], #[case] output: &[u8], #[case] same: bool) {
    for args in ["", "float_tolerance 1"] {
        assert_eq!(check(answer, output, args).is_same(), same);
    }
}

#[test]
fn differences_are_told() {
    insta::assert_snapshot!(sentence(b"1 2\n3 4\n", b"1 2\n3 5\n", ""), @"line 2, token 2: expected `4`, got `5`");
    insta::assert_snapshot!(sentence(b"1\n\n2\n", b"1 3", ""), @"line 1, token 2: expected `2`, got `3` (line 3, token 1 of the answer)");
    insta::assert_snapshot!(sentence(b"1\n2\n", b"1\n", ""), @"the output ends on line 2 although the answer goes on with `2` (line 2, token 1)");
    insta::assert_snapshot!(sentence(b"1\n", b"1\n2 3\n", ""), @"line 2, token 1: the output goes on with `2` although the answer has ended");
    insta::assert_snapshot!(sentence(b"a b\n", b"a\tb\n", "space_change_sensitive"), @r"line 1: white space differs: expected ` `, got `\t`");
    insta::assert_snapshot!(sentence(b"a\n", b"a", "space_change_sensitive"), @r"line 1: white space differs: expected `\n`, got nothing");
    insta::assert_snapshot!(sentence(b"yes", b"\xef\xbb\xbfyes", ""), @r"line 1, token 1: expected `yes`, got `\u{feff}yes`");
    insta::assert_snapshot!(sentence(b"a", b"a\0\xff", ""), @r"line 1, token 1: expected `a`, got `a\u{0}\xff`");
    insta::assert_snapshot!(sentence(b"0.5 1.5", b"0.50 1.75", "float_tolerance 0.1"), @"line 1, token 2: expected `1.5`, got `1.75`");
    insta::assert_snapshot!(sentence("是\n".as_bytes(), "否\n".as_bytes(), ""), @"line 1, token 1: expected `是`, got `否`");
}

#[test]
fn what_is_shown_is_bounded() {
    let answer = [b"x".repeat(1 << 20), b"1 2 3".to_vec()].concat();
    let mut output = answer.clone();
    output[700_000] = b'y';
    let Comparison::Different(difference) = check(&answer, &output, "") else { panic!("they differ") };
    assert_eq!((difference.output.offset, difference.output.line, difference.output.token), (700_000, 1, 1));
    let text = &difference.output.text;
    assert!(text.bytes.len() <= 200 && text.cut_before && text.cut_after && text.bytes.contains(&b'y'));
    let around = &difference.output.around;
    assert!(around.bytes.len() <= 2_048 && around.cut_before && around.cut_after && around.bytes.contains(&b'y'));
    assert!(difference.to_string().len() < 1_000);
}

#[test]
fn a_broken_stream_is_an_error_and_says_which() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let error = compare(b"1".as_slice(), Broken, &CheckerFlags::default()).unwrap_err();
    assert_eq!(error.to_string(), "the output can't be read: the disk is gone");
}

/// Gives its bytes in pieces of the given sizes, over and over, with an interruption now and then.
struct Pieces<'a> {
    bytes: &'a [u8],
    sizes: &'a [usize],
    turn: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = self.sizes.get(self.turn % self.sizes.len().max(1)).copied().unwrap_or(1);
        let count = size.min(self.bytes.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes = &self.bytes[count..];
        Ok(count)
    }
}

/// The same rules without streaming: whole texts, split up. The kind of the first difference.
fn simple(answer: &[u8], output: &[u8], flags: &CheckerFlags) -> Option<DifferenceKind> {
    let (answer, output) = (parts(answer), parts(output));
    let tokens = |parts: &[(bool, Vec<u8>)]| -> Vec<Vec<u8>> {
        parts.iter().filter(|part| part.0).map(|part| part.1.clone()).collect()
    };
    if !flags.space_change_sensitive {
        let (answer, output) = (tokens(&answer), tokens(&output));
        for (expected, got) in answer.iter().zip(&output) {
            if !simple_token(expected, got, flags) {
                return Some(DifferenceKind::Token);
            }
        }
        return match answer.len().cmp(&output.len()) {
            std::cmp::Ordering::Less => Some(DifferenceKind::ExtraOutput),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(DifferenceKind::MissingOutput),
        };
    }
    let mut pairs = (0..answer.len().max(output.len())).map(|index| (answer.get(index), output.get(index)));
    pairs.find_map(|pair| match pair {
        (Some((true, expected)), Some((true, got))) => {
            (!simple_token(expected, got, flags)).then_some(DifferenceKind::Token)
        }
        (Some((false, expected)), Some((false, got))) => (expected != got).then_some(DifferenceKind::WhiteSpace),
        (Some((true, _)), None) => Some(DifferenceKind::MissingOutput),
        (None, Some((true, _))) => Some(DifferenceKind::ExtraOutput),
        _ => Some(DifferenceKind::WhiteSpace),
    })
}

/// Alternating tokens (true) and white space.
fn parts(text: &[u8]) -> Vec<(bool, Vec<u8>)> {
    let is_token = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
    text.chunk_by(|a, b| is_token(a) == is_token(b)).map(|part| (is_token(&part[0]), part.to_vec())).collect()
}

fn simple_token(expected: &[u8], got: &[u8], flags: &CheckerFlags) -> bool {
    let number = |token: &[u8]| if token.len() > 16 * 1024 { None } else { parse_decimal(token) };
    let tolerances = [flags.float_absolute_tolerance, flags.float_relative_tolerance];
    if let ([_, Some(_)] | [Some(_), _], Some(a)) = (tolerances, number(expected)) {
        return number(got).is_some_and(|s| {
            tolerances[0].is_some_and(|e| (s - a).abs() <= e)
                || tolerances[1].is_some_and(|e| (s - a).abs() <= e * a.abs())
        });
    }
    if flags.case_sensitive { expected == got } else { expected.eq_ignore_ascii_case(got) }
}

fn any_flags() -> impl Strategy<Value = CheckerFlags> {
    let tolerance = || proptest::option::of(prop_oneof![Just(0.0), Just(1e-6), Just(0.1), Just(2.0)]);
    (any::<bool>(), any::<bool>(), tolerance(), tolerance()).prop_map(|(case, space, absolute, relative)| {
        CheckerFlags {
            case_sensitive: case,
            space_change_sensitive: space,
            float_absolute_tolerance: absolute,
            float_relative_tolerance: relative,
        }
    })
}

/// A text of few words, so that two of them are often nearly alike.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        4 => Just(b" ".to_vec()),
        2 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\t\x0b\x0c".to_vec()),
        2 => Just(b"a".to_vec()),
        1 => Just(b"A".to_vec()),
        2 => Just(b"1".to_vec()),
        1 => Just(b"1.0".to_vec()),
        1 => Just(b"-0".to_vec()),
        1 => Just(b".".to_vec()),
        1 => Just(b"e1".to_vec()),
        1 => Just(b"\0".to_vec()),
        1 => Just(b"\xff".to_vec()),
    ];
    proptest::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

/// The output made from the answer by a few small changes.
fn changed(mut text: Vec<u8>, changes: &[(usize, u8, u8)]) -> Vec<u8> {
    for &(at, kind, byte) in changes {
        let at = at % (text.len() + 1);
        match kind % 4 {
            0 => text.insert(at, byte),
            1 if at < text.len() => drop(text.remove(at)),
            2 if at < text.len() => text[at] ^= 0x20,
            3 if at < text.len() => text[at] = byte,
            _ => {}
        }
    }
    text
}

fn agree(answer: &[u8], output: &[u8], sizes: &[usize], flags: &CheckerFlags) -> Result<(), TestCaseError> {
    let pieces = |bytes, turn| Pieces { bytes, sizes, turn };
    let found = match compare(pieces(answer, 0), pieces(output, 1), flags).unwrap() {
        Comparison::Same => None,
        Comparison::Different(difference) => {
            prop_assert!(difference.output.around.bytes.len() <= 2_048);
            // The place is told right: the text stands on that line, as that token.
            for (side, text) in [(&difference.answer, answer), (&difference.output, output)] {
                let before = &text[..usize::try_from(side.offset).unwrap()];
                let lines = before.split(|&byte| byte == b'\n').count() as u64 - 1;
                prop_assert_eq!(side.line, lines + 1);
                let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                let begun = parts(&before[line_start..]).iter().filter(|part| part.0).count() as u64;
                prop_assert!(side.token == begun || side.token == begun + 1, "{} {}", side.token, begun);
            }
            Some(difference.kind)
        }
    };
    prop_assert_eq!(found, simple(answer, output, flags));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn agrees_with_the_simple_checker(
        answer in any_text(), output in any_text(), flags in any_flags(),
        sizes in proptest::collection::vec(1_usize..9, 1..5),
    ) {
        agree(&answer, &output, &sizes, &flags)?;
    }

    #[test]
    fn agrees_on_nearly_equal_texts(
        answer in any_text(), flags in any_flags(), sizes in proptest::collection::vec(1_usize..9, 1..5),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>(), prop_oneof![Just(b' '), Just(b'1'), any::<u8>()]), 0..3),
    ) {
        agree(&answer, &changed(answer.clone(), &changes), &sizes, &flags)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Longer than the buffer, with tokens longer than any number, so that everything crosses the buffer's border.
    #[test]
    fn agrees_on_long_texts(
        words in proptest::collection::vec((prop_oneof![3 => 1_usize..12, 1 => 10_000_usize..40_000], 0_u8..4), 40..80),
        flags in any_flags(),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>(), prop_oneof![Just(b' '), Just(b'1')]), 0..2),
    ) {
        let mut answer = Vec::new();
        for (length, kind) in words {
            match kind {
                0 => answer.extend(b"0123456789".iter().cycle().take(length)),
                1 => answer.extend(std::iter::repeat_n(b'x', length)),
                2 => answer.extend(format!("{:.*}", length.min(300), 0.5).bytes()),
                _ => answer.extend(std::iter::repeat_n(b'\n', length.min(2_000))),
            }
            answer.push(b" \n"[length % 2]);
        }
        agree(&answer, &changed(answer.clone(), &changes), &[70_000, 300, 200_000], &flags)?;
    }
}

/// After a difference that is right, the next piece ends within what both have: it is equal, however little of it the
/// buffers hold, and whatever flags make it be looked at closely.
#[rstest]
#[case::a_long_token(&"x".repeat(20_000), false)]
#[case::a_number("0.5000000000001", false)]
#[case::white_space_that_counts("0.25 0.25", true)]
fn what_is_equal_stays_equal_wherever_a_buffer_ends(#[case] rest: &str, #[case] exact_spaces: bool) {
    let (left, right) = if exact_spaces { ("0.50 ", "0.500 ") } else { ("1 \n\n", "1 \n") };
    let flags = CheckerFlags {
        float_absolute_tolerance: Some(1e-6),
        space_change_sensitive: exact_spaces,
        ..CheckerFlags::default()
    };
    for before in (0..80).step_by(13) {
        let text = |differing: &str| format!("{}\n{differing}{rest}\n7 8 9\n", "y".repeat(before)).into_bytes();
        let (answer, output) = (text(left), text(right));
        for first in (1..120).step_by(7) {
            for sizes in [[first, 300], [300, first], [first, first + 1]] {
                let pieces = |bytes, turn| Pieces { bytes, sizes: &sizes, turn };
                let found = compare(pieces(&answer, 0), pieces(&output, 1), &flags).unwrap();
                assert!(matches!(found, Comparison::Same), "{before} {sizes:?}: {found:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn flags_are_written_as_they_are_read(
        case_sensitive: bool,
        space_change_sensitive: bool,
        absolute in proptest::option::of(0.0_f64..1e9),
        relative in proptest::option::of(0.0_f64..1.0),
        same: bool,
    ) {
        let float_relative_tolerance = if same { absolute } else { relative };
        let flags = CheckerFlags { case_sensitive, space_change_sensitive, float_absolute_tolerance: absolute, float_relative_tolerance };
        prop_assert_eq!(CheckerFlags::parse(&flags.args()), Ok(flags));
    }
}
