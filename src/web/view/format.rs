//! Numbers and moments for people: seconds, megabytes, "3 minutes ago". Must not know: pages. The exact moment always
//! goes with the relative one.

use std::fmt;

use crate::domain::time::EpochMs;
use crate::web::i18n::{Lang, Message};

/// Milliseconds as `0.12 s`.
pub fn seconds(ms: u64) -> String {
    let rounded = (ms + 5) / 10;
    format!("{}.{:02} s", rounded / 100, rounded % 100)
}

/// A limit: whole seconds lose their zeros, `2 s`, `1.5 s`.
pub fn limit_seconds(ms: u64) -> String {
    let (whole, rest) = (ms / 1000, ms % 1000);
    if rest == 0 {
        return format!("{whole} s");
    }
    let digits = format!("{rest:03}");
    format!("{whole}.{} s", digits.trim_end_matches('0'))
}

/// Bytes as `512 B`, `3.4 KB`, `256 MB`: steps of 1024, one decimal below 100 unless it is zero.
pub fn bytes(count: u64) -> String {
    let units = ["B", "KB", "MB", "GB"];
    let mut unit = 0;
    let mut divisor = 1_u64;
    while unit + 1 < units.len() && count >= divisor * 1024 {
        divisor *= 1024;
        unit += 1;
    }
    let tenths = (u128::from(count) * 10 + u128::from(divisor) / 2) / u128::from(divisor);
    let name = units.get(unit).copied().unwrap_or("B");
    if tenths % 10 == 0 || tenths >= 1000 {
        format!("{} {name}", (tenths + 5) / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

/// A moment in UTC: `2026-03-01 12:00:00`.
pub fn exact(at: EpochMs) -> String {
    strftime(at, "%Y-%m-%d %H:%M:%S")
}

/// A moment that somebody gave in UTC: `2026-03-01`, `2026-03-01T12:00` as browsers' fields write it, or with seconds.
pub fn moment(text: &str) -> Option<EpochMs> {
    let text = text.trim().trim_end_matches('Z');
    let civil = text.parse::<jiff::civil::DateTime>().ok()?;
    Some(EpochMs(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond()))
}

fn strftime(at: EpochMs, pattern: &str) -> String {
    jiff::Timestamp::from_millisecond(at.0).map(|moment| moment.strftime(pattern).to_string()).unwrap_or_default()
}

/// How long before `now` a moment was.
pub fn ago(at: EpochMs, now: EpochMs) -> Message {
    let seconds = now.since(at).max(0) / 1000;
    match seconds {
        0..45 => Message::new("ago-now"),
        45..3_600 => Message::new("ago-minutes").with("count", (seconds + 30) / 60),
        3_600..86_400 => Message::new("ago-hours").with("count", seconds / 3_600),
        _ => Message::new("ago-days").with("count", seconds / 86_400),
    }
}

/// A span in a contest clock: `2:05:09`, `3 d 2:05:09`.
pub fn span(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    let (days, hours, minutes, rest) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    if days > 0 {
        format!("{days} d {hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{hours}:{minutes:02}:{rest:02}")
    }
}

/// A relative time with the exact one as its title.
pub struct Moment {
    at: EpochMs,
    text: String,
}

impl Moment {
    /// `at` as seen at `now`.
    pub fn relative(at: EpochMs, now: EpochMs, lang: Lang) -> Self {
        Self { at, text: lang.say(&ago(at, now)) }
    }

    /// The exact moment, written out.
    pub fn exact(at: EpochMs) -> Self {
        Self { at, text: exact(at) }
    }
}

impl askama::filters::HtmlSafe for Moment {}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let iso = strftime(self.at, "%Y-%m-%dT%H:%M:%SZ");
        // The text is one of our own sentences with a number in it: nothing in it needs escaping.
        write!(f, "<time datetime=\"{iso}\" title=\"{} UTC\">{}</time>", exact(self.at), self.text)
    }
}

/// A text for an address's query: everything but letters, digits and `-_.~` as `%XX`.
pub fn query_escape(text: &str) -> String {
    use fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The query of an address with those of these names that have a value: `?q=a%20b&role=judge`, or nothing.
pub fn query(parts: &[(&str, &str)]) -> String {
    let with_value = parts.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<String> = with_value.map(|(name, value)| format!("{name}={}", query_escape(value))).collect();
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}

/// Points of a score: at most two places, no zeros behind.
pub fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(
            [0, 4, 5, 123, 1_999, 61_000].map(seconds),
            ["0.00 s", "0.00 s", "0.01 s", "0.12 s", "2.00 s", "61.00 s"]
        );
        assert_eq!([1_000, 1_500, 2_050].map(limit_seconds), ["1 s", "1.5 s", "2.05 s"]);
        assert_eq!(
            [0, 512, 1_024, 3_482, 3_565_158, 268_435_456].map(bytes),
            ["0 B", "512 B", "1 KB", "3.4 KB", "3.4 MB", "256 MB"]
        );
        assert_eq!(bytes(1_023 * 1_024 * 1_024), "1023 MB");
        assert_eq!(span(7_509_000), "2:05:09");
        assert_eq!(query_escape("/a?b=c d"), "%2Fa%3Fb%3Dc%20d");
    }

    #[test]
    fn a_moment_has_both_times() {
        let now = EpochMs(1_772_366_400_000);
        let shown = Moment::relative(now.plus_ms(-180_000), now, Lang::English).to_string();
        assert_eq!(
            shown,
            "<time datetime=\"2026-03-01T11:57:00Z\" title=\"2026-03-01 11:57:00 UTC\">3 minutes ago</time>"
        );
    }
}
