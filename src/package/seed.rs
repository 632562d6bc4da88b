//! `{seed}` in the commands of `generators.yaml`: a number that is made of the command itself.
//!
//! Owns: which number, the same as `BAPCtools` takes: SHA-512 of the salt and the command, modulo 2^31.

use sha2::{Digest as _, Sha512};

/// The command with its `{seed}` or `{seed:2}` replaced; the number in it only makes another command of it.
///
/// # Errors
/// What else stands in braces, in a sentence.
pub(crate) fn fill(command: &str, salt: &str) -> Result<String, String> {
    let Some(open) = command.find(['{', '}']) else { return Ok(command.to_owned()) };
    let (before, rest) = command.split_at(open);
    let (inside, after) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).unwrap_or_default();
    if inside == "name" {
        return Err(
            "`{name}` is for generators that write files of that name; here a generator prints the input".to_owned()
        );
    }
    let number = inside.strip_prefix("seed").map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    let is_seed = inside == "seed"
        || (inside.starts_with("seed:")
            && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())));
    if !is_seed {
        return Err("only `{seed}` and `{seed:2}` are filled in; write the value out".to_owned());
    }
    if after.contains("{seed") {
        return Err("`{seed}` may stand there once".to_owned());
    }
    if after.contains(['{', '}']) {
        return Err("only `{seed}` and `{seed:2}` are filled in; write the value out".to_owned());
    }
    Ok(format!("{before}{}{after}", seed_of(command, salt)))
}

fn seed_of(command: &str, salt: &str) -> u32 {
    let digest = Sha512::new().chain_update(salt).chain_update(command).finalize();
    let last = digest.iter().rev().take(4).rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
    last & (u32::MAX >> 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    /// From Python: `int(hashlib.sha512(b"...").hexdigest(), 16) % 2**31`.
    #[rstest]
    #[case("tree 10 {seed}", "", "tree 10 1813799688")]
    #[case("tree 10 {seed:2}", "", "tree 10 553865566")]
    #[case("tree seed={seed}", "abcd", "tree seed=971800621")]
    #[case("tree 10", "abcd", "tree 10")]
    fn the_seed_is_the_tools(#[case] command: &str, #[case] salt: &str, #[case] expected: &str) {
        assert_eq!(fill(command, salt).unwrap(), expected);
    }

    #[rstest]
    #[case("tree {seed} {seed:2}", "once")]
    #[case("tree {name}", "{name}")]
    #[case("tree {seed:x}", "only `{seed}`")]
    #[case("tree {seed:}", "only `{seed}`")]
    #[case("tree {seed", "only `{seed}`")]
    #[case("tree }{seed}", "only `{seed}`")]
    #[case("tree {seed} }", "only `{seed}`")]
    #[case("tree {n}", "only `{seed}`")]
    fn the_rest_is_refused(#[case] command: &str, #[case] words: &str) {
        let sentence = fill(command, "").unwrap_err();
        assert!(sentence.contains(words), "{sentence}");
    }

    proptest! {
        #[test]
        fn any_command_is_filled_in_or_refused(command in "\\PC{0,30}|[a-z {}:0-9]{0,20}|[a-z ]{0,6}\\{seed\\}[a-z ]{0,6}", salt in "\\PC{0,8}") {
            match fill(&command, &salt) {
                Ok(filled) => {
                    prop_assert!(!filled.contains(['{', '}']), "{filled}");
                    prop_assert_eq!(fill(&filled, "another salt"), Ok(filled.clone()), "nothing is left to fill in");
                }
                Err(sentence) => prop_assert!(command.contains(['{', '}']), "{sentence}"),
            }
        }
    }
}
