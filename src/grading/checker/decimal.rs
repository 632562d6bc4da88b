//! Floating-point numbers as the format writes them ("General requirements"): decimal, nothing else.

/// The value of a token that is a decimal number: `{sign}? ( {digit}* . {digit}+ | {digit}+ . | {digit}+ )
/// ( [eE] {sign}? {digit}+ )?`. No hexadecimal, no infinity, no NaN; `None` also when it is too large for an `f64`,
/// which then is compared as text.
pub fn parse_decimal(token: &[u8]) -> Option<f64> {
    let unsigned = token.strip_prefix(b"+").or_else(|| token.strip_prefix(b"-")).unwrap_or(token);
    let (whole, rest) = digits(unsigned);
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => digits(rest),
        None => (0, rest),
    };
    if whole + fraction == 0 {
        return None;
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let (count, rest) = digits(exponent);
        if count == 0 || !rest.is_empty() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(token).ok()?;
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// How many digits the text begins with, and what follows them.
fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count, text.get(count..).unwrap_or_default())
}

/// A number as it can be read in a few steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quick {
    /// Its value, wrong by at most three roundings.
    pub(super) value: f64,
    /// How many bytes it takes.
    pub(super) length: usize,
    negative: bool,
    /// All its digits as a whole number.
    digits: u64,
    /// By which power of ten they are divided.
    scale: i32,
}

/// The most digits of a quick number: so many surely fit into 63 bits, from which a `f64` is made fastest.
const MOST_DIGITS: u32 = 18;
/// 10^-22 to 10^22, each as the nearest `f64`.
pub(super) const TENS: [f64; 45] = [
    1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6,
    1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// Powers of ten as whole numbers.
const WHOLE_TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

impl Quick {
    /// Whether both are the same number, exactly: `-0.50` and `-0.5`, `0` and `-0.0`, `1e2` and `100`.
    pub(super) fn is_same_number(&self, other: &Self) -> bool {
        if self.negative != other.negative && (self.digits, other.digits) != (0, 0) {
            return false;
        }
        let (long, short) = if self.scale >= other.scale { (self, other) } else { (other, self) };
        let power = 10_u64.checked_pow(long.scale.abs_diff(short.scale));
        power.and_then(|power| short.digits.checked_mul(power)) == Some(long.digits)
    }
}

/// The number that a text begins with and that white space ends, if it has at most 18 digits and a small exponent and
/// lies well inside the text. Whatever this gives up on is for [`parse_decimal`].
#[expect(clippy::inline_always, reason = "measured: called, it takes half as long again, and there are two of a pair")]
#[inline(always)]
pub(super) fn quick_decimal(text: &[u8]) -> Option<Quick> {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(negative || text.first() == Some(&b'+'));
    let (mut digits, whole) = quick_digits(text, sign, 0)?;
    let mut length = sign + whole as usize;
    let mut fraction = 0;
    if text.get(length) == Some(&b'.') {
        (digits, fraction) = quick_digits(text, length + 1, digits)?;
        length += 1 + fraction as usize;
    }
    if whole + fraction == 0 || whole + fraction > MOST_DIGITS {
        return None;
    }
    let mut scale = fraction.cast_signed();
    if matches!(text.get(length), Some(b'e' | b'E')) {
        let sign = text.get(length + 1);
        let begin = length + 1 + usize::from(matches!(sign, Some(b'-' | b'+')));
        let (exponent, count) = exponent(text, begin)?;
        scale += if sign == Some(&b'-') { exponent } else { -exponent };
        length = begin + count as usize;
    }
    if !text.get(length).is_some_and(|&byte| super::is_space(byte)) {
        return None;
    }
    let power = TENS.get(usize::try_from(22 - scale).ok()?)?;
    #[expect(clippy::cast_precision_loss, reason = "one of the three roundings that the value may have")]
    let size = digits.cast_signed() as f64 * power;
    let value = f64::from_bits(size.to_bits() ^ (u64::from(negative) << 63));
    Some(Quick { value, length, negative, digits, scale })
}

/// The exponent whose digits begin at `at`, and how many they are. Most are written with two.
#[inline]
fn exponent(text: &[u8], at: usize) -> Option<(i32, u32)> {
    if let Some(&[tens @ b'0'..=b'9', ones @ b'0'..=b'9', behind]) = text.get(at..).and_then(<[u8]>::first_chunk)
        && super::is_space(behind)
    {
        return Some((i32::from(tens - b'0') * 10 + i32::from(ones - b'0'), 2));
    }
    let (exponent, count) = quick_digits(text, at, 0)?;
    if !(1..=4).contains(&count) {
        return None;
    }
    Some((i32::try_from(exponent).ok()?, count))
}

/// The digits from `at` on, appended to `digits`, and how many they are; wrong when they are more than 18 in all.
#[expect(clippy::inline_always, reason = "see `quick_decimal`, of which it is the most")]
#[inline(always)]
fn quick_digits(text: &[u8], mut at: usize, mut digits: u64) -> Option<(u64, u32)> {
    let mut count = 0;
    loop {
        let eight = super::stride::eight(text, at)?;
        let values = eight ^ 0x3030_3030_3030_3030;
        let here = super::stride::others(eight).trailing_zeros() / 8;
        if here > 0 {
            // Shifted so that missing digits become leading zeros.
            let value = eight_digits(values << (64 - 8 * here));
            digits = digits.wrapping_mul(*WHOLE_TENS.get(here as usize)?).wrapping_add(value);
        }
        count += here;
        if here < 8 || count > MOST_DIGITS {
            return Some((digits, count));
        }
        at += 8;
    }
}

/// The number whose eight digits are these bytes, the first digit in the lowest byte: neighbours are put together to
/// pairs, and the four pairs are added up by two multiplications.
#[inline]
const fn eight_digits(values: u64) -> u64 {
    const PAIR: u64 = 0x0000_00FF_0000_00FF;
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let outer = (pairs & PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let inner = ((pairs >> 16) & PAIR).wrapping_mul(1 + (10_000 << 32));
    outer.wrapping_add(inner) >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("0", 0.0)]
    #[case("-0.0", 0.0)]
    #[case("+1", 1.0)]
    #[case("1.", 1.0)]
    #[case(".5", 0.5)]
    #[case("-.5", -0.5)]
    #[case("1.e2", 100.0)]
    #[case("1E+2", 100.0)]
    #[case("1e-2", 0.01)]
    #[case("00012", 12.0)]
    #[case("123456789012345678901234567890.123456789012345678901234567890", 123_456_789_012_345_680_000_000_000_000.0)]
    #[case("1e-999", 0.0)]
    fn decimals(#[case] token: &str, #[case] value: f64) {
        let parsed = parse_decimal(token.as_bytes()).unwrap();
        assert!((parsed - value).abs() <= f64::EPSILON * value.abs(), "{parsed}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn quick_numbers_are_the_numbers(
            sign in "[-+]?", whole in "[0-9]{0,21}", fraction in "(\\.[0-9]{0,21})?", exponent in "([eE][-+]?[0-9]{1,3})?", end in "[ \n\r\tx\\x00]",
            rest in "[0-9. ]{0,20}",
        ) {
            let number = format!("{sign}{whole}{fraction}{exponent}");
            let text = format!("{number}{end}{rest}");
            if let Some(quick) = quick_decimal(text.as_bytes()) {
                prop_assert_eq!(quick.length, number.len());
                let exact = parse_decimal(number.as_bytes()).unwrap();
                prop_assert!((quick.value - exact).abs() <= exact.abs() * f64::EPSILON * 2.0, "{} {}", quick.value, exact);
                prop_assert!(quick.is_same_number(&quick));
            } else if rest.len() > 16 && exponent.is_empty() && matches!(end.as_str(), " " | "\n") {
                let count = number.bytes().filter(u8::is_ascii_digit).count();
                prop_assert!(count == 0 || count > 18, "gave up on {}", number);
            }
        }

        #[test]
        fn the_same_number_is_told_exactly(
            one in "-?[0-9]{0,6}[.][0-9]{1,6}", zeros in "0{0,6}", other in "-?0?[0-9]{0,2}[.][0-9]{1,2}0?",
        ) {
            let quick = |number: &str| quick_decimal(format!("{number}                ").as_bytes()).unwrap();
            let padded = format!("{one}{zeros}");
            prop_assert!(quick(&one).is_same_number(&quick(&padded)));
            let exact = |number: &str| parse_decimal(number.as_bytes()).unwrap();
            let short = &one[..one.len().min(4)];
            if let Some(value) = parse_decimal(short.as_bytes()) {
                let same = (value - exact(&other)).abs() <= 0.0;
                prop_assert_eq!(quick(short).is_same_number(&quick(&other)), same, "{} {}", short, other);
            }
        }
    }

    #[rstest]
    #[case("")]
    #[case(".")]
    #[case("+")]
    #[case("--1")]
    #[case("+-1")]
    #[case("1e")]
    #[case("100e")]
    #[case("1e+")]
    #[case("e5")]
    #[case(".e5")]
    #[case("1e5.0")]
    #[case("1.2.3")]
    #[case("0x10")]
    #[case("0x1p3")]
    #[case("inf")]
    #[case("Infinity")]
    #[case("nan")]
    #[case("NaN")]
    #[case("1_000")]
    #[case("1,5")]
    #[case("1f")]
    #[case("1e999")]
    #[case("\u{661}")]
    #[case("1\0")]
    fn not_decimals(#[case] token: &str) {
        assert_eq!(parse_decimal(token.as_bytes()), None);
    }
}
