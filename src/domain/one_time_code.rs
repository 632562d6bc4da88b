//! Codes of six digits that change every 30 seconds, as authenticator apps show them: TOTP (RFC 6238) over HOTP (RFC 4226)
//! with HMAC-SHA-1, the one form that every app understands.

use std::fmt::{self, Write as _};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;

use super::time::EpochMs;

/// How long a code is shown, milliseconds (RFC 6238, X).
pub const STEP_MS: i64 = 30_000;
/// How many steps a clock may be wrong in either direction (RFC 6238, 5.2).
const DRIFT: i64 = 1;
/// Bytes of a secret: as long as the hash (RFC 4226, 4, R6).
pub const SECRET_BYTES: usize = 20;
/// Codes are numbers below this.
const MODULUS: u32 = 1_000_000;
/// RFC 4648, without padding.
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// What an app and the judge share. Whoever has it makes codes, so it is never printed but by [`Secret::typed`] and
/// [`Secret::address`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; SECRET_BYTES]);

impl Secret {
    /// From random bytes.
    pub const fn new(bytes: [u8; SECRET_BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be stored.
    pub const fn as_bytes(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }

    /// As people type it into an app: base 32 in groups of four.
    pub fn typed(&self) -> String {
        let mut text = String::with_capacity(SECRET_BYTES * 2);
        // 20 bytes are 32 letters of 5 bits.
        for chunk in self.0.chunks_exact(5) {
            let bits = chunk.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            if !text.is_empty() {
                text.push(' ');
            }
            for letter in 0..8 {
                if letter == 4 {
                    text.push(' ');
                }
                text.push(char::from(BASE32[(bits >> (35 - 5 * letter) & 31) as usize]));
            }
        }
        text
    }

    /// As apps read it from a picture: `otpauth://totp/...`.
    pub fn address(&self, issuer: &str, account: &str) -> String {
        let secret = self.typed().replace(' ', "");
        let (issuer, account) = (escaped(issuer), escaped(account));
        format!("otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits=6&period=30")
    }

    /// The code of a step.
    pub fn code(&self, step: i64) -> String {
        format!("{:06}", self.number(step) % MODULUS)
    }

    /// Which step this code is of, among those around `now`; `None`: it is of none.
    pub fn step_of(&self, code: &str, now: EpochMs) -> Option<i64> {
        let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let current = now.0.div_euclid(STEP_MS);
        (current - DRIFT..=current + DRIFT).find(|step| self.code(*step) == code)
    }

    /// RFC 4226, 5.3: 31 bits of the MAC, from where its last four bits say.
    fn number(&self, step: i64) -> u32 {
        let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(&self.0) else { unreachable!("HMAC takes keys of any length") };
        mac.update(&step.to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let at = usize::from(digest[digest.len() - 1] & 15);
        digest[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The secret of both RFCs' examples.
    const EXAMPLE: Secret = Secret::new(*b"12345678901234567890");

    #[test]
    fn the_numbers_of_rfc_4226_appendix_d() {
        let wanted =
            ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"];
        for (step, code) in (0..).zip(wanted) {
            assert_eq!(EXAMPLE.code(step), code, "{step}");
        }
    }

    #[test]
    fn the_moments_of_rfc_6238_appendix_b() {
        // With eight digits there; six are the last six of them.
        for (seconds, eight) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            let now = EpochMs(seconds * 1_000);
            let step = seconds / 30;
            assert_eq!(EXAMPLE.number(step) % 100_000_000, eight, "{seconds}");
            assert_eq!(EXAMPLE.step_of(&format!("{:06}", eight % MODULUS), now), Some(step), "{seconds}");
        }
    }

    #[test]
    fn a_secret_is_typed_shown_and_never_told_by_accident() {
        assert_eq!(EXAMPLE.typed(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
        assert_eq!(
            EXAMPLE.address("Touchstone", "ann & 安"),
            "otpauth://totp/Touchstone:ann%20%26%20%E5%AE%89?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Touchstone\
             &algorithm=SHA1&digits=6&period=30"
        );
        assert_eq!(format!("{EXAMPLE:?}"), "Secret(..)");
    }

    proptest! {
        #[test]
        fn a_code_is_of_its_own_step_for_as_long_as_clocks_may_differ(
            bytes in any::<[u8; SECRET_BYTES]>(), now in 0_i64..4_000_000_000_000,
        ) {
            let (secret, now) = (Secret::new(bytes), EpochMs(now));
            let step = now.0 / STEP_MS;
            let code = secret.code(step);
            for late in [0, STEP_MS] {
                let found = secret.step_of(&code, now.plus_ms(late)).unwrap();
                prop_assert_eq!(secret.code(found), code.clone());
            }
            // Two steps away it is none, unless chance made the same digits again.
            let far = step + 2;
            let around: Vec<String> = (far - 1..=far + 1).map(|step| secret.code(step)).collect();
            prop_assert_eq!(secret.step_of(&code, EpochMs(far * STEP_MS)).is_some(), around.contains(&code));
        }

        #[test]
        fn only_six_digits_are_a_code(text in ".{0,12}|[0-9]{0,9}", now in 0_i64..4_000_000_000_000) {
            let digits = text.chars().filter(char::is_ascii_digit).count();
            let others = text.chars().any(|c| !c.is_ascii_digit() && !c.is_whitespace());
            prop_assert!(digits == 6 && !others || EXAMPLE.step_of(&text, EpochMs(now)).is_none());
        }
    }
}
