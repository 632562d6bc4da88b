//! Names of tests that are nearly the same. Must not know: which tests there are.

/// What a test's name comes down to: its last part, without regard to case, marks between words, and zeros in front of
/// numbers. Two tests of one look would be taken for each other.
pub fn look(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let mut look = String::new();
    let mut digits = String::new();
    let end_number = |digits: &mut String, look: &mut String| {
        if !digits.is_empty() {
            let number = digits.trim_start_matches('0');
            look.push_str(if number.is_empty() { "0" } else { number });
            // So that 1-2 and 12 stay apart.
            look.push('.');
            digits.clear();
        }
    };
    for c in last.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        end_number(&mut digits, &mut look);
        if !matches!(c, '-' | '_' | '.' | ' ') {
            look.extend(c.to_lowercase());
        }
    }
    end_number(&mut digits, &mut look);
    look
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::look;

    #[rstest]
    #[case("secret/07-big", "7_Big", true)]
    #[case("long-row", "longrow", true)]
    #[case("1-2", "12", false)]
    #[case("secret/a", "b", false)]
    #[case("sample/1", "secret/01", true)]
    #[case("0", "00", true)]
    fn near_names_look_alike(#[case] one: &str, #[case] two: &str, #[case] alike: bool) {
        assert_eq!(look(one) == look(two), alike, "{} {}", look(one), look(two));
    }
}
