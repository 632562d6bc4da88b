//! Everything that reads bytes from outside, and the property that shows that any bytes are read or refused there and never
//! break it. The table is complete as far as names tell: whatever is called `from_str`, `parse` or `read` and takes text or
//! bytes stands in it, or among those that read only what the judge itself wrote.
#![expect(clippy::unwrap_used, reason = "a test that can't read the sources should stop")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use touchstone::config::Settings;
use touchstone::domain::account::{NewPassword, Role, UserName};
use touchstone::domain::contest::{parse_span, span_text};
use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::SubmissionId;
use touchstone::domain::language::LanguageId;
use touchstone::domain::slug::Slug;
use touchstone::domain::verdict::Verdict;
use touchstone::domain::worker_name::WorkerName;
use touchstone::judge::languages::LanguageTable;
use touchstone::service::registration::Registration;

/// Who reads (a file, and what in it), what comes to it from outside, and the property with its file.
const READERS: &[(&str, &str, &str, &str, &str)] = &[
    // Words in addresses, forms, arguments and the API's bodies.
    ("src/domain/account.rs", "FromStr for Role", "a role's name", "tests/parsers.rs", "any_word_is_read_or_refused"),
    (
        "src/domain/account.rs",
        "FromStr for UserName",
        "a login name",
        "tests/parsers.rs",
        "any_word_is_read_or_refused",
    ),
    (
        "src/domain/account.rs",
        "FromStr for NewPassword",
        "a password",
        "tests/parsers.rs",
        "any_word_is_read_or_refused",
    ),
    ("src/domain/slug.rs", "FromStr for Slug", "a short name", "tests/parsers.rs", "any_word_is_read_or_refused"),
    (
        "src/domain/worker_name.rs",
        "FromStr for WorkerName",
        "a machine's name",
        "tests/parsers.rs",
        "any_word_is_read_or_refused",
    ),
    (
        "src/domain/language.rs",
        "FromStr for LanguageId",
        "a language",
        "tests/parsers.rs",
        "any_word_is_read_or_refused",
    ),
    ("src/domain/verdict.rs", "FromStr for Verdict", "a verdict", "tests/parsers.rs", "any_word_is_read_or_refused"),
    ("src/domain/ids.rs", "FromStr for $name", "a number", "tests/parsers.rs", "any_word_is_read_or_refused"),
    ("src/domain/hash.rs", "FromStr for Sha256", "a digest", "tests/parsers.rs", "any_word_is_read_or_refused"),
    (
        "src/service/registration.rs",
        "FromStr for Registration",
        "who may register",
        "tests/parsers.rs",
        "any_word_is_read_or_refused",
    ),
    ("src/domain/contest.rs", "fn parse_span(", "a span of time", "tests/parsers.rs", "any_span_is_read_or_refused"),
    (
        "src/domain/network.rs",
        "FromStr for Network",
        "an address or network",
        "src/domain/network.rs",
        "any_words_are_answered",
    ),
    (
        "src/domain/one_time_code.rs",
        "fn step_of(",
        "a one-time code",
        "src/domain/one_time_code.rs",
        "only_six_digits_are_a_code",
    ),
    // What a browser or a program sends.
    (
        "src/web/extract/cookie.rs",
        "fn read(",
        "cookies",
        "src/web/extract/cookie.rs",
        "what_is_set_is_read_among_whatever_else_is_sent",
    ),
    (
        "src/web/extract/client.rs",
        "fn host(",
        "Host and X-Forwarded-Host",
        "src/web/extract/client.rs",
        "whatever_host_is_said_nothing_but_a_host_is_repeated",
    ),
    (
        "src/web/extract/client.rs",
        "fn address(",
        "X-Forwarded-For",
        "src/web/extract/client.rs",
        "whatever_is_forwarded_only_the_chain_of_trust_is_followed",
    ),
    (
        "src/web/i18n.rs",
        "fn negotiate(",
        "Accept-Language",
        "src/web/i18n.rs",
        "any_accepted_languages_lead_to_one_of_ours",
    ),
    (
        "src/web/extract/upload.rs",
        "struct Upload",
        "multipart bodies",
        "tests/web/outside_bytes.rs",
        "torn_uploads_are_refused_and_hand_nothing_in",
    ),
    (
        "src/web/extract/form.rs",
        "struct Fields",
        "forms",
        "tests/web/outside_bytes.rs",
        "any_form_without_the_pages_token_is_refused",
    ),
    (
        "src/web/api/new_submission.rs",
        "serde_json::from_slice",
        "JSON bodies",
        "tests/web/outside_bytes.rs",
        "any_body_of_a_submission_by_json_is_answered",
    ),
    (
        "src/web/router.rs",
        "fn router(",
        "addresses and queries",
        "tests/web/outside_bytes.rs",
        "any_address_and_query_is_answered",
    ),
    ("src/web/router.rs", "fn pages(", "headers", "tests/web/outside_bytes.rs", "any_headers_are_answered"),
    // Programs that are handed in.
    (
        "src/domain/source.rs",
        "fn text(",
        "a source file and its name",
        "src/domain/source.rs",
        "any_name_is_refused_or_made_harmless",
    ),
    (
        "src/domain/source.rs",
        "fn elf(",
        "a ready program",
        "src/domain/source.rs",
        "any_bytes_are_a_text_a_program_or_refused",
    ),
    (
        "src/domain/family.rs",
        "fn guess(",
        "a program's language",
        "src/domain/family.rs",
        "any_text_is_guessed_and_a_known_ending_decides",
    ),
    (
        "src/judge/java.rs",
        "fn ",
        "Java sources and class files",
        "src/judge/java.rs",
        "no_bytes_make_the_readers_panic",
    ),
    (
        "src/web/view/highlight.rs",
        "fn ",
        "sources that are shown",
        "src/web/view/highlight.rs",
        "nothing_is_lost_or_let_through",
    ),
    (
        "src/web/view/compiler_words.rs",
        "fn ",
        "what compilers say",
        "src/web/view/compiler_words.rs",
        "whatever_a_compiler_says_is_text_with_links",
    ),
    (
        "src/web/view/difference.rs",
        "fn ",
        "outputs that are shown",
        "src/web/view/difference.rs",
        "nothing_but_marks_is_added",
    ),
    // Outputs, and the words of validators.
    (
        "src/grading/checker/decimal.rs",
        "fn parse_decimal(",
        "numbers of an output",
        "src/grading/checker/decimal.rs",
        "quick_numbers_are_the_numbers",
    ),
    (
        "src/grading/checker/mod.rs",
        "fn compare",
        "outputs",
        "src/grading/checker/tests.rs",
        "agrees_with_the_simple_checker",
    ),
    (
        "src/grading/checker/mod.rs",
        "fn parse(",
        "flags of the checker",
        "src/grading/checker/tests.rs",
        "flags_are_written_as_they_are_read",
    ),
    (
        "src/grading/feedback.rs",
        "fn read<",
        "a validator's folder",
        "src/grading/feedback.rs",
        "whatever_a_validator_writes_is_shown_safely_or_is_its_own_fault",
    ),
    (
        "src/grading/validator.rs",
        "fn ",
        "a checker's words",
        "src/grading/validator.rs",
        "whatever_a_checker_prints_only_its_exit_counts_but_for_points",
    ),
    (
        "src/farm/wire/envelope.rs",
        "fn decode<",
        "what server and workers say to each other",
        "src/farm/wire/envelope.rs",
        "any_bytes_are_read_or_refused",
    ),
    (
        "src/sandbox/protocol.rs",
        "fn decode(",
        "what a sandbox's process says",
        "src/sandbox/protocol.rs",
        "any_packet_is_read_or_refused",
    ),
    // Packages.
    ("src/package/tree/mod.rs", "PackageTree", "zips", "tests/packages/zips.rs", "any_bytes_are_read_or_refused"),
    (
        "src/package/reader.rs",
        "fn read(",
        "every file of a package",
        "tests/packages.rs",
        "any_bytes_in_any_file_are_read_or_refused",
    ),
    (
        "src/package/reader.rs",
        "fn read(",
        "a package's settings",
        "tests/packages/formats.rs",
        "any_settings_are_read_or_refused",
    ),
    (
        "src/package/data/mod.rs",
        "fn ",
        "the folder of tests",
        "tests/packages/formats.rs",
        "any_data_folder_is_read_or_refused",
    ),
    (
        "src/package/metadata.rs",
        "FromStr for LanguageTag",
        "a statement's language",
        "tests/packages/formats.rs",
        "any_settings_are_read_or_refused",
    ),
    (
        "src/package/path.rs",
        "FromStr for PackagePath",
        "paths",
        "src/package/path.rs",
        "any_text_is_refused_or_stays_inside",
    ),
    ("src/package/yaml.rs", "fn ", "YAML", "src/package/yaml.rs", "any_bytes_are_read_or_refused"),
    (
        "src/package/arguments.rs",
        "fn ",
        "arguments in one line",
        "src/package/arguments.rs",
        "any_text_is_split_or_refused",
    ),
    (
        "src/package/seed.rs",
        "fn ",
        "a generator's command",
        "src/package/seed.rs",
        "any_command_is_filled_in_or_refused",
    ),
    ("src/package/setting_edit.rs", "fn ", "settings that are edited", "src/package/setting_edit.rs", "all_else_stays"),
    (
        "src/package/limit_edit.rs",
        "fn ",
        "limits that are edited",
        "src/package/limit_edit.rs",
        "what_comes_out_says_so",
    ),
    ("src/package/tex/mod.rs", "fn ", "TeX statements", "src/package/tex/mod.rs", "any_text_is_turned_or_refused"),
    (
        "src/web/view/markdown.rs",
        "fn ",
        "Markdown statements",
        "src/web/view/markdown.rs",
        "whatever_a_statement_holds_only_what_is_allowed_comes_out",
    ),
    ("src/web/view/math.rs", "fn ", "formulas", "src/web/view/math.rs", "any_text_is_a_formula_or_is_shown_as_it_is"),
    (
        "src/domain/picture.rs",
        "fn parse(",
        "pictures that a package draws",
        "src/domain/picture.rs",
        "what_comes_out_is_on_the_lists",
    ),
    (
        "src/judge/stress.rs",
        "fn parse(",
        "a generator's command line",
        "src/package/seed.rs",
        "any_command_is_filled_in_or_refused",
    ),
    // Files of people, of the operator, and databases that are put back.
    (
        "src/roster/mod.rs",
        "fn read(",
        "accounts, teams, groups, organizations",
        "src/roster/tests.rs",
        "nothing_breaks_the_reader",
    ),
    ("src/judge/languages.rs", "fn parse(", "a language table", "tests/parsers.rs", "any_table_is_read_or_refused"),
    ("src/config.rs", "fn from_file(", "the configuration", "tests/parsers.rs", "any_configuration_is_read_or_refused"),
    (
        "src/store/backup.rs",
        "fn ",
        "a backup",
        "tests/store/backups.rs",
        "a_harmed_file_is_read_or_refused_and_a_cut_one_is_never_whole",
    ),
    ("src/judge/replay.rs", "fn ", "a stored receipt", "src/judge/replay.rs", "any_stored_text_is_answered"),
];

/// Readers by their names that read only what the judge itself wrote into its database, or what is in the table already
/// under what they belong to.
const OWN_WORDS: &[(&str, &str)] = &[
    ("src/store/codec.rs", "FromStr for $name"),
    ("src/web/view/cause.rs", "fn read("),
    ("src/web/view/receipt.rs", "fn read("),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether the file has a property of this name: a test that draws its own input.
fn has_property(path: &str, name: &str) -> bool {
    let text = text(path);
    let Some((before, after)) = text.split_once(&format!("fn {name}(")) else { return false };
    let is_test = before.rsplit("fn ").next().is_some_and(|between| between.contains("#[test]"));
    let arguments = after.split(") {").next().unwrap_or_default();
    let draws = !arguments.trim().is_empty() || after.split("\n}").next().unwrap_or_default().contains("holds(");
    let runs = after.split("\n}").next().unwrap_or_default().contains("TestRunner::new");
    is_test && (draws || runs)
}

#[test]
fn each_reader_is_there_and_has_its_property() {
    for (reader, what, of, test, property) in READERS {
        assert!(text(reader).contains(what), "{reader} has no `{what}` any more, which read {of}");
        assert!(has_property(test, property), "{test} has no property {property}, which tries {of}");
    }
}

#[test]
fn whatever_is_called_a_reader_is_in_the_table() {
    let known: BTreeSet<(&str, &str)> =
        READERS.iter().map(|(reader, what, ..)| (*reader, *what)).chain(OWN_WORDS.iter().copied()).collect();
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    let mut missing = Vec::new();
    for path in &files {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let code = std::fs::read_to_string(path).unwrap();
        let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for line in code.lines() {
            let implementation = line.trim().strip_prefix("impl ").and_then(|rest| {
                let rest = rest.strip_prefix("std::str::").unwrap_or(rest);
                rest.starts_with("FromStr for ").then(|| rest.trim_end_matches(" {").to_owned())
            });
            let public = ["pub fn parse(", "pub fn parse_", "pub fn read(", "pub fn read<"];
            let function = (public.iter().any(|start| line.trim().starts_with(start)) && !line.contains("(&self"))
                .then(|| {
                    let rest = line.trim().trim_start_matches("pub ");
                    let end = rest.find(['(', '<']).map_or(rest.len(), |at| at + 1);
                    rest[..end].to_owned()
                });
            for what in implementation.into_iter().chain(function) {
                let is_known = known.iter().any(|(reader, known)| *reader == name && *known == what);
                if !is_known {
                    missing.push(format!("{name}: {what}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "a reader without a property; add one, and a row to the table: {missing:#?}");
}

#[test]
fn whatever_has_a_property_against_bytes_is_in_the_table() {
    let rows: BTreeSet<&str> = READERS.iter().map(|(_, _, _, _, property)| *property).collect();
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    sources(&root().join("tests"), &mut files);
    let words = ["_are_read_or_refused", "_is_read_or_refused", "any_text_", "any_bytes_", "no_bytes_", "whatever_a_"];
    for path in files {
        let code = std::fs::read_to_string(&path).unwrap();
        for block in code.split("proptest! {").skip(1) {
            for name in block.split("fn ").skip(1).filter_map(|rest| rest.split('(').next()) {
                let of_bytes = words.iter().any(|word| name.contains(word));
                let known = rows.contains(name) || rows.iter().any(|row| path_has(&path, row) && of_bytes);
                assert!(!of_bytes || known, "{}: {name} tries a reader that the table doesn't name", path.display());
            }
        }
    }
}

fn path_has(path: &Path, property: &str) -> bool {
    std::fs::read_to_string(path).unwrap().contains(&format!("fn {property}("))
}

/// Reads a word as this type; what is read is written as it came, or is read the same again.
fn read_or_refused<T>(word: &str) -> Result<(), TestCaseError>
where
    T: std::str::FromStr + std::fmt::Display + PartialEq + std::fmt::Debug,
{
    if let Ok(read) = word.parse::<T>() {
        prop_assert_eq!(read.to_string().parse::<T>().ok(), Some(read));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_word_is_read_or_refused(
        word in prop_oneof!["\\PC{0,70}", "[a-z0-9._-]{0,70}", "[0-9a-fA-F]{60,68}", "[+-]?[0-9]{0,22}", any::<String>()],
    ) {
        read_or_refused::<UserName>(&word)?;
        read_or_refused::<WorkerName>(&word)?;
        read_or_refused::<Slug>(&word)?;
        read_or_refused::<LanguageId>(&word)?;
        read_or_refused::<SubmissionId>(&word)?;
        read_or_refused::<Sha256>(&word)?;
        if let Ok(verdict) = word.parse::<Verdict>() {
            prop_assert!(verdict.code() == word || verdict.name() == word, "{word}");
        }
        prop_assert_eq!(word.parse::<Role>().ok().map(Role::as_str), Role::ALL.map(Role::as_str).into_iter().find(|role| *role == word));
        if let Ok(registration) = word.parse::<Registration>() {
            prop_assert_eq!(registration.as_str(), &word);
        }
        if let Ok(password) = word.parse::<NewPassword>() {
            prop_assert_eq!(password.expose(), &word);
            let said = format!("{password:?}");
            prop_assert!(!said.contains(&word) || "NewPassword(…)".contains(&word), "a password is printed");
        }
        // Nothing that can be a name in an address or a page has markup in it.
        for name in [word.parse::<UserName>().ok().map(|name| name.to_string()), word.parse::<Slug>().ok().map(|slug| slug.to_string()), word.parse::<WorkerName>().ok().map(|name| name.to_string())] {
            prop_assert!(!name.unwrap_or_default().contains(['<', '>', '&', '"', '\'', '/', '\\', '\n', '\0']));
        }
    }

    #[test]
    fn any_span_is_read_or_refused(text in prop_oneof!["[0-9: ]{0,12}", "\\PC{0,12}"]) {
        if let Ok(ms) = parse_span(&text) {
            prop_assert!(ms >= 0 && ms % 1_000 == 0);
            prop_assert_eq!(parse_span(&span_text(ms)), Ok(ms));
        }
    }

    #[test]
    fn any_table_is_read_or_refused(text in prop_oneof![
        any::<String>(),
        "(\\[\\[(tool|language)\\]\\]\n|(id|name|names|run|compile|tools|main|keep|extensions) = (\"[a-z{}:]{0,9}\"|\\[(\"[a-z*.]{0,5}\")?\\]|[0-9])\n){0,14}",
    ]) {
        if let Err(refused) = LanguageTable::parse(&text) {
            prop_assert!(!refused.to_string().is_empty());
        }
    }

    #[test]
    fn any_configuration_is_read_or_refused(text in prop_oneof![
        "\\PC{0,80}",
        "((listen|data|workers|pin_cores|behind_tls|trusted_proxies|slow_statement_ms|odd) = (\"[0-9.:a-z]{0,12}\"|-?[0-9]{0,20}|true|false|\\[\\])\n){0,6}",
    ]) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, &text).unwrap();
        match Settings::from_file(&file) {
            // What can't be used is refused in words too, never by a panic.
            Ok(settings) => if let Err(refused) = touchstone::config::Config::new(settings, 2) {
                prop_assert!(!refused.to_string().is_empty());
            },
            Err(refused) => prop_assert!(refused.to_string().contains("config.toml")),
        }
    }
}
