//! Making an input that shows something smaller, for as long as it still shows it.
//!
//! Owns: which smaller inputs are tried, by delta debugging: without lines, without tokens, with shorter words and
//! smaller numbers. Must not know what is shown: a predicate says whether a candidate is valid and still shows it.
//!
//! Most inputs say how many lines or tokens follow. So a part is left out in two ways: as it stands, and together with
//! a number before it that is made less by as many as are left out.

/// A token, and the white space behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: Vec<u8>,
    after: Vec<u8>,
}

/// The parts of an input that are left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Line,
    Token,
}

/// How many numbers before a part are tried as the one that counts it.
const COUNTERS: usize = 4;

/// The smallest input found that `shows`, starting from one that does.
///
/// What is returned was shown to the predicate, unless it is `input` itself. The predicate is asked at most
/// `most_tries` times; where it never changes its mind and tries suffice, no single line and no single token of the
/// result can be left out.
///
/// # Errors
/// What the predicate fails with.
pub fn shrink<E>(
    input: &[u8],
    most_tries: usize,
    shows: &mut dyn FnMut(&[u8]) -> Result<bool, E>,
) -> Result<Vec<u8>, E> {
    let mut search = Search { tokens: split(input), tries: most_tries, shows };
    loop {
        let before = search.tokens.clone();
        search.leave_out(Unit::Line)?;
        search.leave_out(Unit::Token)?;
        search.shorten_words()?;
        search.lessen_numbers()?;
        if search.tokens == before || search.tries == 0 {
            break;
        }
    }
    // White space in front of the first token is given up only by a step that was taken.
    let smallest = join(&search.tokens);
    Ok(if search.tokens == split(input) { input.to_vec() } else { smallest })
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(9) < 5
}

fn split(input: &[u8]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for part in input.chunk_by(|a, b| is_space(*a) == is_space(*b)) {
        match tokens.last_mut() {
            Some(last) if is_space(part[0]) => last.after = part.to_vec(),
            None if is_space(part[0]) => {}
            _ => tokens.push(Token { text: part.to_vec(), after: Vec::new() }),
        }
    }
    tokens
}

fn join(tokens: &[Token]) -> Vec<u8> {
    tokens.iter().flat_map(|token| [token.text.as_slice(), token.after.as_slice()]).flatten().copied().collect()
}

/// Where each unit begins, and the end of the last.
fn borders(tokens: &[Token], unit: Unit) -> Vec<usize> {
    let mut borders = vec![0];
    borders.extend(
        (1..=tokens.len())
            .filter(|&at| unit == Unit::Token || at == tokens.len() || tokens[at - 1].after.contains(&b'\n')),
    );
    borders.dedup();
    borders
}

/// The tokens without these; a line end that goes with the last token of a line stays with the one before.
fn without(tokens: &[Token], from: usize, to: usize) -> Vec<Token> {
    let mut kept = tokens[..from].to_vec();
    let ends_line = |token: &Token| token.after.contains(&b'\n');
    if let (Some(last), Some(gone)) = (kept.last_mut(), tokens[from..to].last())
        && !ends_line(last)
        && (ends_line(gone) || to == tokens.len())
    {
        last.after.clone_from(&gone.after);
    }
    kept.extend_from_slice(&tokens[to..]);
    kept
}

/// A token that is a whole number as programs print it.
fn number(token: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(token).ok()?;
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

struct Search<'a, E> {
    tokens: Vec<Token>,
    tries: usize,
    shows: &'a mut dyn FnMut(&[u8]) -> Result<bool, E>,
}

impl<E> Search<'_, E> {
    /// Takes the candidate if it shows it too.
    fn try_this(&mut self, candidate: Vec<Token>) -> Result<bool, E> {
        if self.tries == 0 {
            return Ok(false);
        }
        self.tries -= 1;
        let shows = (self.shows)(&join(&candidate))?;
        if shows {
            self.tokens = candidate;
        }
        Ok(shows)
    }

    /// Takes the candidate, or the candidate with one of the numbers before `at` less by `count`.
    fn try_counted(&mut self, candidate: &[Token], at: usize, count: usize) -> Result<bool, E> {
        if self.try_this(candidate.to_vec())? {
            return Ok(true);
        }
        let Ok(count) = i64::try_from(count) else { return Ok(false) };
        let fits = |index: &usize| number(&candidate[*index].text).is_some_and(|number| number >= count);
        let before: Vec<usize> = (0..at.min(candidate.len())).filter(fits).collect();
        // Counts stand at the very beginning or right before what they count.
        let nearest = before.iter().rev().take(COUNTERS);
        let first = before.iter().take(before.len().saturating_sub(COUNTERS).min(COUNTERS));
        for &index in first.chain(nearest) {
            let mut counted = candidate.to_vec();
            let less = number(&counted[index].text).unwrap_or(count) - count;
            counted[index].text = less.to_string().into_bytes();
            if self.try_this(counted)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Leaves out units, many at once first.
    fn leave_out(&mut self, unit: Unit) -> Result<(), E> {
        let mut size = borders(&self.tokens, unit).len().saturating_sub(1).next_power_of_two();
        while size > 0 {
            let mut at = 0;
            loop {
                let borders = borders(&self.tokens, unit);
                if at + 1 >= borders.len() || self.tries == 0 {
                    break;
                }
                let end = (at + size).min(borders.len() - 1);
                let candidate = without(&self.tokens, borders[at], borders[end]);
                if !self.try_counted(&candidate, borders[at], end - at)? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Makes words that are no numbers shorter.
    fn shorten_words(&mut self) -> Result<(), E> {
        for index in 0..self.tokens.len() {
            let mut size = self.tokens[index].text.len() / 2;
            while size > 0 && number(&self.tokens[index].text).is_none() {
                let mut at = 0;
                while at + size < self.tokens[index].text.len() + usize::from(at > 0) && self.tries > 0 {
                    let mut candidate = self.tokens.clone();
                    candidate[index].text.drain(at..(at + size).min(self.tokens[index].text.len()));
                    // A word that vanishes is a token left out, which was tried.
                    if candidate[index].text.is_empty() || !self.try_counted(&candidate, index, size)? {
                        at += size;
                    }
                }
                size /= 2;
            }
        }
        Ok(())
    }

    /// Brings numbers nearer to 0.
    fn lessen_numbers(&mut self) -> Result<(), E> {
        for index in 0..self.tokens.len() {
            let mut step = 0;
            while let Some(now) = number(&self.tokens[index].text)
                && self.tries > 0
            {
                let wanted = [0, now.signum(), now.saturating_abs(), now / 2, now - now / 4, now - now.signum()];
                let Some(&smaller) = wanted.get(step) else { break };
                step += 1;
                // Every step makes it smaller or takes its sign, so the steps come to an end.
                if (smaller.unsigned_abs(), smaller < 0) >= (now.unsigned_abs(), now < 0) {
                    continue;
                }
                let mut candidate = self.tokens.clone();
                candidate[index].text = smaller.to_string().into_bytes();
                if self.try_this(candidate)? {
                    step = 0;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn smallest(input: &str, shows: impl Fn(&str) -> bool) -> String {
        let mut ask = |bytes: &[u8]| Ok::<bool, Infallible>(shows(std::str::from_utf8(bytes).unwrap()));
        String::from_utf8(shrink(input.as_bytes(), 100_000, &mut ask).unwrap()).unwrap()
    }

    /// `n`, then `n` lines of two numbers.
    fn pairs(text: &str) -> Option<Vec<(i64, i64)>> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let count: usize = lines.next()?.parse().ok()?;
        let pair = |line: &str| {
            let (left, right) = line.split_once(' ')?;
            Some((left.parse().ok()?, right.parse().ok()?))
        };
        lines.map(pair).collect::<Option<Vec<_>>>().filter(|pairs| pairs.len() == count)
    }

    #[test]
    fn a_counted_list_shrinks_with_its_count() {
        let lines: Vec<String> = (0..57).map(|at| format!("{at} {}\n", at * 37 % 101)).collect();
        let lines = lines.concat();
        let found = smallest(&format!("57\n{lines}"), |text| {
            pairs(text).is_some_and(|pairs| pairs.iter().any(|pair| pair.1 > 90) && !pairs.is_empty())
        });
        assert_eq!(found, "1\n0 91\n");
    }

    #[test]
    fn a_counted_word_shrinks_with_its_length() {
        let found = smallest("9 1\nLRLLRRRLL\n", |text| {
            let words: Vec<&str> = text.split_whitespace().collect();
            matches!(words[..], [length, _, word] if length.parse() == Ok(word.len()) && word.contains("RR"))
        });
        assert_eq!(found, "2 0\nRR\n");
    }

    #[test]
    fn numbers_come_near_to_zero_from_both_sides() {
        assert_eq!(smallest("1000000007\n", |text| text.trim().parse::<i64>().is_ok_and(|n| n > 4_321)), "4322\n");
        assert_eq!(smallest("-77777\n", |text| text.trim().parse::<i64>().is_ok_and(|n| n < -13)), "-14\n");
        assert_eq!(smallest("-9223372036854775808\n", |text| text.starts_with('-')), "-1\n");
    }

    #[test]
    fn the_predicates_fault_ends_it() {
        let mut tries = 0;
        let fault = shrink(b"1 2 3\n", 100, &mut |_| {
            tries += 1;
            if tries == 3 { Err("gone") } else { Ok(false) }
        });
        assert_eq!((fault, tries), (Err("gone"), 3));
    }

    fn text() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            3 => (-20_i64..200).prop_map(|number| number.to_string()),
            1 => "[a-c]{1,6}",
        ];
        let line = proptest::collection::vec(token, 1..5).prop_map(|tokens| tokens.join(" ") + "\n");
        proptest::collection::vec(line, 1..8).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn what_is_found_shows_it_and_nothing_in_it_can_be_spared(
            input in text(), modulus in 1_u64..5, wanted in proptest::collection::vec(0_usize..30, 1..4),
        ) {
            // An arbitrary property that the input has: some of its tokens, and an odd one of its length.
            let tokens: Vec<&str> = input.split_whitespace().collect();
            let wanted: Vec<&str> = wanted.iter().map(|at| tokens[at % tokens.len()]).collect();
            let rest = input.len() as u64 % modulus;
            let shows = |text: &str| {
                let tokens: Vec<&str> = text.split_whitespace().collect();
                wanted.iter().all(|token| tokens.contains(token)) && (modulus < 3 || text.len() as u64 % modulus == rest)
            };
            let found = smallest(&input, shows);
            prop_assert!(shows(&found) && found.len() <= input.len());
            let parts = split(found.as_bytes());
            for unit in [Unit::Line, Unit::Token] {
                for pair in borders(&parts, unit).windows(2) {
                    let less = String::from_utf8(join(&without(&parts, pair[0], pair[1]))).unwrap();
                    prop_assert!(!shows(&less), "{:?} could be left out of {:?}", pair, found);
                }
            }
            if modulus < 3 {
                let mut left: Vec<&str> = found.split_whitespace().collect();
                let mut needed = wanted.clone();
                left.sort_unstable();
                needed.sort_unstable();
                needed.dedup();
                prop_assert_eq!(left, needed);
            }
        }

        #[test]
        fn tries_are_bounded_and_splitting_loses_nothing(input in "[ \n]{0,2}([0-9a-c]{1,3}[ \n]{0,2}){0,12}", most in 0_usize..30) {
            let mut tries = 0;
            let found = shrink(input.as_bytes(), most, &mut |_| { tries += 1; Ok::<bool, Infallible>(false) }).unwrap();
            prop_assert_eq!(found, input.as_bytes());
            prop_assert!(tries <= most);
            prop_assert_eq!(join(&split(input.as_bytes())), input.trim_start().as_bytes());
        }
    }
}
