//! Words of the interface, in English and Chinese. Owns: which language a reader gets and how a message becomes text.
//! Must not know: requests, pages, the database. The texts are in `locales/`; a key is always a literal in the code,
//! so that a test can find missing and unused ones.

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource, FluentValue};
use rust_embed::RustEmbed;

/// A language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    English,
    /// 中文, simplified.
    Chinese,
}

impl Lang {
    /// All of them, in the order of the switch.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// The short code: in the cookie, in `locales/`, in the package format's statement names.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The BCP 47 tag for `lang` attributes.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// What it calls itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
        }
    }

    /// The one that the switch offers.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::English => Self::Chinese,
            Self::Chinese => Self::English,
        }
    }

    /// What stands between the things of a list.
    pub const fn list_separator(self) -> &'static str {
        match self {
            Self::English => ", ",
            Self::Chinese => "、",
        }
    }

    /// The language with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.code() == code)
    }

    /// The best of an `Accept-Language` header (RFC 9110, section 12.5.4): the highest weight wins, the first of equals.
    pub fn negotiate(accept_language: &str) -> Self {
        let mut best = (Self::English, 0.0_f32);
        for range in accept_language.split(',') {
            let mut parts = range.split(';');
            let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let weight = parts.find_map(|part| part.trim().strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
            let primary = tag.split('-').next().unwrap_or_default();
            let lang = if primary == "*" { Some(Self::English) } else { Self::from_code(primary) };
            if let Some(lang) = lang
                && weight > best.1
            {
                best = (lang, weight);
            }
        }
        best.0
    }

    /// The text of a message that takes nothing.
    pub fn text(self, key: &'static str) -> Cow<'static, str> {
        self.format(key, None)
    }

    /// The text of a message.
    pub fn say(self, message: &Message) -> String {
        let mut args = FluentArgs::new();
        for (name, arg) in &message.args {
            let value = match arg {
                Arg::Text(text) => FluentValue::from(text.as_str()),
                Arg::Number(number) => FluentValue::from(*number),
                Arg::Message(inner) => FluentValue::from(self.say(inner)),
            };
            args.set(*name, value);
        }
        self.format(message.key, Some(&args)).into_owned()
    }

    fn format(self, key: &'static str, args: Option<&FluentArgs<'_>>) -> Cow<'static, str> {
        let bundle = self.bundle();
        let Some(pattern) = bundle.get_message(key).and_then(|message| message.value()) else {
            tracing::error!(key, lang = self.code(), "a text is missing in locales");
            return Cow::Borrowed(key);
        };
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, args, &mut errors).into_owned();
        if !errors.is_empty() {
            tracing::error!(key, lang = self.code(), ?errors, "a text can't be formatted");
        }
        Cow::Owned(text)
    }

    fn bundle(self) -> &'static FluentBundle<FluentResource> {
        static ENGLISH: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| load(Lang::English));
        static CHINESE: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| load(Lang::Chinese));
        match self {
            Self::English => &ENGLISH,
            Self::Chinese => &CHINESE,
        }
    }
}

/// The files of `locales/`.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/locales"]
struct Locales;

/// Reads a language's files. A broken entry is logged and left out: a page with one raw key beats no page.
fn load(lang: Lang) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(lang.tag().parse().into_iter().collect());
    // Isolation marks would end up in copied text; names are wrapped in <bdi> by the templates.
    bundle.set_use_isolating(false);
    let folder = format!("{}/", lang.code());
    for path in Locales::iter().filter(|path| path.starts_with(&folder)) {
        let Some(file) = Locales::get(&path) else { continue };
        let source = String::from_utf8_lossy(&file.data).into_owned();
        let resource = FluentResource::try_new(source).unwrap_or_else(|(resource, errors)| {
            tracing::error!(%path, ?errors, "a locale file has broken entries");
            resource
        });
        if let Err(errors) = bundle.add_resource(resource) {
            tracing::error!(%path, ?errors, "a locale file repeats entries");
        }
    }
    bundle
}

/// A sentence before its language is known: a key of `locales/` and what goes into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    key: &'static str,
    args: Vec<(&'static str, Arg)>,
}

/// What can go into a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// As it is.
    Text(String),
    /// A count: the plural depends on it.
    Number(i64),
    /// Another message, in the same language.
    Message(Message),
}

impl Message {
    /// The message with this key.
    pub const fn new(key: &'static str) -> Self {
        Self { key, args: Vec::new() }
    }

    /// The same with one more thing in it.
    #[must_use]
    pub fn with(mut self, name: &'static str, arg: impl Into<Arg>) -> Self {
        self.args.push((name, arg.into()));
        self
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&&str> for Arg {
    fn from(text: &&str) -> Self {
        Self::Text((*text).to_owned())
    }
}

impl From<&String> for Arg {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Message> for Arg {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

macro_rules! number_arg {
    ($($kind:ty),+) => {$(
        impl From<$kind> for Arg {
            fn from(number: $kind) -> Self {
                Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
            }
        }
        impl From<&$kind> for Arg {
            fn from(number: &$kind) -> Self {
                Self::from(*number)
            }
        }
    )+};
}

number_arg!(i32, i64, u32, u64, usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_known_language_wins() {
        assert_eq!(Lang::negotiate(""), Lang::English);
        assert_eq!(Lang::negotiate("zh-CN,zh;q=0.9,en;q=0.8"), Lang::Chinese);
        assert_eq!(Lang::negotiate("de, en;q=0.5, zh;q=0.7"), Lang::Chinese);
        assert_eq!(Lang::negotiate("fr;q=1, *;q=0.1"), Lang::English);
        assert_eq!(Lang::negotiate("zh;q=0"), Lang::English);
    }

    #[test]
    fn counts_choose_the_plural() {
        let tries = |count: i64| Message::new("tries-count").with("count", count);
        assert_eq!(Lang::English.say(&tries(1)), "1 try");
        assert_eq!(Lang::English.say(&tries(3)), "3 tries");
        assert_eq!(Lang::Chinese.say(&tries(3)), "提交 3 次");
    }

    proptest::proptest! {
        #[test]
        fn any_accepted_languages_lead_to_one_of_ours(header in "((zh|en|de|\\*)(-[A-Z]{2})?(;q=[0-9.a-z-]{0,4})?,? ?|\\PC{0,5}){0,6}") {
            let lang = Lang::negotiate(&header);
            proptest::prop_assert!(Lang::ALL.contains(&lang));
            // A language that isn't asked for is never chosen before one that is.
            let asks = |code: &str| header.to_ascii_lowercase().contains(code);
            proptest::prop_assert!(lang == Lang::English || asks("zh"));
        }
    }
}
