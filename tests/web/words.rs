//! Every text is there in both languages, and every text is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const LANGUAGES: [&str; 2] = ["en", "zh"];

/// Keys and the names of the variables in them, of all files of a language.
fn texts(language: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts = BTreeMap::new();
    for file in files(&Path::new("locales").join(language), "ftl") {
        let mut key = None;
        for line in fs::read_to_string(&file).unwrap().lines() {
            if let Some((name, _)) = line.split_once(" =")
                && !line.starts_with(' ')
            {
                assert!(texts.insert(name.to_owned(), BTreeSet::new()).is_none(), "{name} stands twice in {language}");
                key = Some(name.to_owned());
            }
            let variables = line.split('$').skip(1).map(|rest| {
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect::<String>()
            });
            if let Some(key) = &key {
                texts.get_mut(key).unwrap().extend(variables);
            }
        }
    }
    texts
}

fn files(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found
}

/// All string literals that look like keys, in templates and in the web room.
fn literals() -> BTreeSet<String> {
    let mut literals = BTreeSet::new();
    let sources = files(Path::new("templates"), "html").into_iter().chain(files(Path::new("src/web"), "rs"));
    for file in sources {
        let text = fs::read_to_string(&file).unwrap();
        for piece in text.split('"') {
            if piece.contains('-') && piece.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
                literals.insert(piece.to_owned());
            }
            if matches!(piece, "back" | "copy" | "copied" | "register") {
                literals.insert(piece.to_owned());
            }
        }
    }
    literals
}

/// The keys that are asked for where nothing but a key can stand.
fn asked_for() -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let sources = files(Path::new("templates"), "html").into_iter().chain(files(Path::new("src/web"), "rs"));
    for file in sources {
        let text = fs::read_to_string(&file).unwrap();
        for call in [".t(\"", ".t1(\"", ".t2(\"", "Message::new(\"", ".text(\""] {
            keys.extend(text.split(call).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned));
        }
    }
    keys
}

#[test]
fn both_languages_have_the_same_texts() {
    let (english, chinese) = (texts("en"), texts("zh"));
    for (key, variables) in &english {
        let Some(others) = chinese.get(key) else { panic!("{key} is missing in zh") };
        // A plural's variable may be of no use in a language without plurals.
        assert!(others.is_subset(variables), "{key}: zh uses {others:?}, en has {variables:?}");
    }
    for key in chinese.keys() {
        assert!(english.contains_key(key), "{key} is missing in en");
    }
}

#[test]
fn no_text_is_missing() {
    for language in LANGUAGES {
        let texts = texts(language);
        let missing: Vec<_> = asked_for().into_iter().filter(|key| !texts.contains_key(key)).collect();
        assert!(missing.is_empty(), "{language} lacks {missing:?}");
    }
}

#[test]
fn no_text_is_unused() {
    let literals = literals();
    let unused: Vec<_> = texts("en").into_keys().filter(|key| !literals.contains(key)).collect();
    assert!(unused.is_empty(), "nobody uses {unused:?}");
}

#[test]
fn chinese_is_chinese() {
    for file in files(Path::new("locales/zh"), "ftl") {
        for line in fs::read_to_string(&file).unwrap().lines().filter(|line| !line.is_empty()) {
            let (key, text) = line.split_once(" =").unwrap();
            assert!(text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{key} is not translated: {text}");
        }
    }
}
