//! Numbers that begin with the same digits, told close without being read: `0.123457` and `0.123456712` differ by less
//! than two in the sixth place, whatever follows.
//!
//! Owns: no decision. What it can't tell by a glance is read as numbers. Eight bytes are looked at as one number.

use super::decimal::TENS;
use super::stride::{eight, others};
use super::{CheckerFlags, is_space};

/// The most bytes in front of the first difference that are looked at.
const MOST_SHARED: usize = 24;

/// The lengths of the numbers that both begin with, if the digits they share show that they are close enough.
#[inline]
pub(super) fn close_by_prefix(answer: &[u8], output: &[u8], flags: &CheckerFlags) -> Option<(usize, usize)> {
    let sign = usize::from(answer.first() == Some(&b'-'));
    let mut point = None;
    let mut at = 0;
    while at < MOST_SHARED {
        let (left, right) = (eight(answer, at)?, eight(output, at)?);
        let differing = left ^ right;
        let alike = (differing.trailing_zeros() / 8) as usize;
        // The sign is no digit either, and so is every byte behind those that are alike.
        let hidden = if at == 0 { 0x80 * sign as u64 } else { 0 };
        let shared = if alike < 8 { !(u64::MAX << (8 * alike)) } else { u64::MAX };
        let marks = others(left) & shared & !hidden;
        if marks != 0 {
            let first = at + (marks.trailing_zeros() / 8) as usize;
            // A second mark may only be the end of both, which is for others to see.
            if point.is_some() || marks & (marks - 1) != 0 || answer.get(first) != Some(&b'.') {
                return None;
            }
            point = Some(first);
        }
        at += alike;
        if alike < 8 {
            break;
        }
    }
    let point = point?;
    let (left, right) = (eight(answer, at)?, eight(output, at)?);
    let (expected, got) = (more_digits(left)?, more_digits(right)?);
    // A digit behind the point is a digit of both, or one of them may have none at all.
    if at + expected.min(got) <= point + 1 {
        return None;
    }
    // Behind a number's end come zeros.
    let digit = |text: u64, count: usize| if count > 0 { (text & 0xF) as u32 } else { 0 };
    let apart = digit(left, expected).abs_diff(digit(right, got)) + 1;
    let (before, behind) = (point - sign, at - point);
    // The place of the first difference is the `behind`th behind the point.
    let most = f64::from(apart) * TENS.get(22_usize.checked_sub(behind)?)?;
    // By the rule the numbers are compared after rounding, which may be wrong by so much.
    let doubt = TENS.get(22 + before)? * (f64::EPSILON * 4.0);
    let relative = |epsilon: f64| {
        let starts_with_digit = before > 0 && matches!(answer.get(sign), Some(b'1'..=b'9'));
        if starts_with_digit { epsilon * TENS[21 + before] } else { 0.0 }
    };
    let within = flags.float_absolute_tolerance.unwrap_or(0.0);
    let within = within.max(flags.float_relative_tolerance.map_or(0.0, relative));
    let close = most + doubt <= within * (1.0 - f64::EPSILON * 8.0);
    close.then_some((at + expected, at + got))
}

/// How many digits come before white space; `None` when something else ends them, or too many come.
#[inline]
fn more_digits(text: u64) -> Option<usize> {
    let marks = others(text);
    if marks == 0 {
        return None;
    }
    let count = (marks.trailing_zeros() / 8) as usize;
    is_space((text >> (8 * count)).to_le_bytes()[0]).then_some(count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::grading::checker::parse_decimal;

    fn close(answer: &str, output: &str, tolerance: &str) -> Option<(usize, usize)> {
        let args: Vec<String> = tolerance.split_whitespace().map(str::to_owned).collect();
        let padded = |text: &str| format!("{text}                ").into_bytes();
        close_by_prefix(&padded(answer), &padded(output), &CheckerFlags::parse(&args).unwrap())
    }

    #[rstest]
    #[case("0.123457", "0.123456712", "float_tolerance 1e-5", true)]
    #[case("-10.500000", "-10.5000001", "float_absolute_tolerance 1e-5", true)]
    #[case("500.50000", "500.500001", "float_relative_tolerance 1e-6", true)]
    #[case("123.456789012345", "123.45678901235", "float_tolerance 1e-9", true)]
    #[case("0.5", "0.5", "float_tolerance 1", false)]
    #[case("0.5", "0.500001", "float_tolerance 1e-7", false)]
    #[case("0.5", "-0.5", "float_tolerance 2", false)]
    #[case("-.", "-.5", "float_tolerance 9", false)]
    #[case("-5.", "-5.5", "float_tolerance 9", false)]
    #[case("0.000005", "0.000006", "float_relative_tolerance 1e-6", false)]
    #[case("1.5e3", "1.5e4", "float_tolerance 1", false)]
    #[case(".", ".0", "float_tolerance 1", false)]
    #[case("1.5x", "1.50", "float_tolerance 1", false)]
    #[case("15", "15.0", "float_tolerance 1", false)]
    fn shared_digits_show_it(#[case] answer: &str, #[case] output: &str, #[case] flags: &str, #[case] shown: bool) {
        assert_eq!(close(answer, output, flags), shown.then_some((answer.len(), output.len())));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_000))]

        /// Whatever is told close this way is close by the rule.
        #[test]
        fn what_is_told_close_is_close(
            shared in "-?[0-9]{0,5}[.][0-9]{0,5}", one in "[0-9]{0,5}", other in "[0-9]{0,5}",
            exponent in -8_i32..1, mantissa in 1_u32..30, is_relative in any::<bool>(),
        ) {
            let epsilon = f64::from(mantissa) * 10_f64.powi(exponent);
            let flags = CheckerFlags {
                float_absolute_tolerance: (!is_relative).then_some(epsilon),
                float_relative_tolerance: is_relative.then_some(epsilon),
                ..CheckerFlags::default()
            };
            let (answer, output) = (format!("{shared}{one}"), format!("{shared}{other}"));
            let padded = |text: &str| format!("{text}\n                ").into_bytes();
            if close_by_prefix(&padded(&answer), &padded(&output), &flags) == Some((answer.len(), output.len())) {
                let (expected, got) = (parse_decimal(answer.as_bytes()).unwrap(), parse_decimal(output.as_bytes()).unwrap());
                prop_assert!(flags.close(expected, got), "{answer} {output} {epsilon}");
            }
        }
    }
}
