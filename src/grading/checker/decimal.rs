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

#[cfg(test)]
mod tests {
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
