//! Names that look alike: what a name comes down to when letters that can't be told apart are one letter. Must not
//! know: where names are kept.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::skeleton;

/// What a name looks like (Unicode UTS #39, section 4, "confusable detection"): two names that share a look can be taken
/// for each other. There are two, because small and capital letters have other doubles: `I` looks like `l`, `i` doesn't.
///
/// Each is NFKC (full-width and styled letters become plain ones), then the skeleton, without regard to case; characters
/// that aren't seen fall away.
pub fn looks(name: &str) -> BTreeSet<String> {
    let plain: String = name.nfkc().filter(|&c| is_seen(c)).collect();
    let small = plain.to_lowercase();
    [skeleton(&plain).collect::<String>().to_lowercase(), skeleton(&small).collect()].into_iter().collect()
}

/// Not a space, a joiner, a direction mark or a selector of variants.
pub fn is_seen(c: char) -> bool {
    !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn alike(a: &str, b: &str) -> bool {
        !looks(a).is_disjoint(&looks(b))
    }

    #[rstest]
    #[case::case_alone("admin", "ADMIN")]
    #[case::cyrillic("admin", "аdmin")]
    #[case::greek("zoe", "zοe")]
    #[case::full_width("team1", "ｔｅａｍ１")]
    #[case::styled("ada", "𝓪𝓭𝓪")]
    #[case::capital_i_and_small_l("paypal", "paypaI")]
    #[case::digit_and_letter("bill", "bi11")]
    #[case::two_letters_for_one("modern", "modem")]
    #[case::composed_and_not("é", "e\u{301}")]
    #[case::unseen("ada", "a\u{200b}da")]
    #[case::case_beyond_ascii("ÉLAN", "élan")]
    fn doubles_share_a_look(#[case] a: &str, #[case] b: &str) {
        assert!(alike(a, b), "{:?} {:?}", looks(a), looks(b));
    }

    #[rstest]
    #[case("ada", "adam")]
    #[case("team1", "team2")]
    #[case("王小明", "王小朋")]
    #[case("élan", "elan")]
    #[case("kai", "kal")]
    fn others_do_not(#[case] a: &str, #[case] b: &str) {
        assert!(!alike(a, b), "{:?} {:?}", looks(a), looks(b));
    }
}
