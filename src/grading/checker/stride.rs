//! The fast part of the comparison: how far two buffers can be passed side by side without asking for more bytes.
//!
//! Owns: no decision. It passes only what is right by the rules and stops in front of everything else, where
//! `compare` looks closer; so it may give up whenever something is rare. Eight bytes are looked at as one number.

use super::decimal::{Quick, quick_decimal};
use super::prefix::close_by_prefix;
use super::{CheckerFlags, is_space};

/// The eight bytes at `at`, the first in the lowest place.
#[inline]
pub(super) fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map(|chunk| u64::from_le_bytes(*chunk))
}

/// The highest bit of each byte that is no digit.
#[inline]
pub(super) const fn others(eight: u64) -> u64 {
    // In each byte its digit's value; from 10 on the sum reaches the highest bit.
    let values = eight ^ 0x3030_3030_3030_3030;
    (((values & 0x7F7F_7F7F_7F7F_7F7F) + 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
}

/// How many bytes of `answer` and of `output` are passed. Both streams are inside a token, or both outside
/// (`in_token`), and they are so at the two places that are returned.
pub(super) fn stride(answer: &[u8], output: &[u8], in_token: bool, flags: &CheckerFlags) -> (usize, usize) {
    let (mut at, mut out) = (0, 0);
    let mut glance = Glance::default();
    // The token that goes on at the start began before these buffers, so it can't be looked at as a number.
    let inside = |at: usize| if at == 0 { in_token } else { !is_space(answer[at - 1]) };
    while let (Some(left), Some(right)) = (eight(answer, at), eight(output, out)) {
        let difference = left ^ right;
        if difference == 0 {
            (at, out) = (at + 8, out + 8);
            continue;
        }
        let alike = difference.trailing_zeros() as usize / 8;
        (at, out) = (at + alike, out + alike);
        let shift = alike * 8;
        let (expected, got) = ((left >> shift).to_le_bytes()[0], (right >> shift).to_le_bytes()[0]);
        match (is_space(expected), is_space(got)) {
            (true, true) if !flags.space_change_sensitive => {
                at += spaces(&answer[at..]);
                out += spaces(&output[out..]);
            }
            // More white space on one side, behind some that both have.
            (true, false) if !flags.space_change_sensitive && !inside(at) => at += spaces(&answer[at..]),
            (false, true) if !flags.space_change_sensitive && !inside(at) => out += spaces(&output[out..]),
            (false, false) if !flags.case_sensitive && expected.eq_ignore_ascii_case(&got) => {
                (at, out) = (at + 1, out + 1);
            }
            (true, true) => break,
            _ if flags.compares_floats() => {
                let begun = answer[..at].iter().rev().take_while(|&&byte| !is_space(byte)).count();
                if begun > out || (begun == at && in_token) {
                    break;
                }
                let Some((expected, got)) =
                    close_numbers(&answer[at - begun..], &output[out - begun..], flags, &mut glance)
                else {
                    break;
                };
                (at, out) = (at - begun + expected, out - begun + got);
                // Where one number is written differently, the next ones mostly are: they are tried at once.
                if flags.space_change_sensitive {
                    continue;
                }
                loop {
                    at += spaces(&answer[at..]);
                    out += spaces(&output[out..]);
                    let Some((expected, got)) = close_numbers(&answer[at..], &output[out..], flags, &mut glance) else {
                        break;
                    };
                    (at, out) = (at + expected, out + got);
                }
            }
            _ => break,
        }
    }
    (at, out)
}

/// How much white space the text, which has some, begins with.
#[inline]
fn spaces(text: &[u8]) -> usize {
    // Mostly one byte, or a carriage return and a line feed.
    match text {
        [_, token, ..] if !is_space(*token) => 1,
        [_, _, token, ..] if !is_space(*token) => 2,
        _ => text.iter().take_while(|&&byte| is_space(byte)).count(),
    }
}

/// Whether numbers lately showed by a glance that they are close. Where they are written in different ways they never
/// do, and looking costs as much as half of reading them.
#[derive(Default)]
struct Glance {
    misses: u32,
}

impl Glance {
    const fn is_worth_it(&mut self) -> bool {
        if self.misses < 4 {
            return true;
        }
        self.misses += 1;
        self.misses.is_multiple_of(32)
    }

    const fn tell(&mut self, shown: bool) {
        self.misses = if shown { 0 } else { self.misses.wrapping_add(1) };
    }
}

/// The lengths of the numbers that both begin with, if they are certainly close enough.
#[inline]
fn close_numbers(answer: &[u8], output: &[u8], flags: &CheckerFlags, glance: &mut Glance) -> Option<(usize, usize)> {
    if glance.is_worth_it() {
        let lengths = close_by_prefix(answer, output, flags);
        glance.tell(lengths.is_some());
        if lengths.is_some() {
            return lengths;
        }
    }
    let (expected, got): (Quick, Quick) = (quick_decimal(answer)?, quick_decimal(output)?);
    // Quick values may be wrong in their last bits, by less than this in relation to their size. Only what is close
    // enough in spite of it is passed.
    let doubt = f64::EPSILON * 8.0 * (expected.value.abs() + got.value.abs());
    let error = (got.value - expected.value).abs() + doubt;
    let within = |tolerance: Option<f64>, scale: f64| {
        tolerance.is_some_and(|epsilon| error <= epsilon * scale * (1.0 - f64::EPSILON * 8.0))
    };
    let close = within(flags.float_absolute_tolerance, 1.0)
        || within(flags.float_relative_tolerance, expected.value.abs())
        // The same digits mean the same number, however small the tolerance.
        || expected.is_same_number(&got);
    close.then_some((expected.length, got.length))
}
