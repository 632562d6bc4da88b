//! `include/`: files added to every submission, by language (format, "Included files").

use super::fault::Findings;
use super::metadata::AllowedLanguages;
use super::model::{IncludedFiles, PlacedFile};
use super::programs;
use super::tree::PackageTree;
use crate::domain::language::LanguageId;

/// Finds the files.
pub(crate) fn read(
    tree: &PackageTree,
    languages: Option<&AllowedLanguages>,
    is_legacy: bool,
    findings: &mut Findings,
) -> IncludedFiles {
    let mut include = IncludedFiles::default();
    for (language, files) in programs::children(tree, "include") {
        let folder = format!("include/{language}");
        if files.iter().any(|file| file.as_str() == folder) {
            findings.fault(folder, None, "it must lie in a folder for its language, as in include/cpp/");
            continue;
        }
        let placed = files.into_iter().filter_map(|path| {
            let name = path.below(&folder)?.to_owned();
            Some(PlacedFile { name, path })
        });
        let placed = placed.collect();
        if language == "default" && !is_legacy {
            include.default = placed;
            continue;
        }
        let allowed = match (languages, language.parse::<LanguageId>()) {
            (_, Err(_)) => {
                findings.fault(&folder, None, format!("`{language}` is no language code, as in cpp or python3"));
                continue;
            }
            (Some(AllowedLanguages::Only(allowed)), Ok(code)) => allowed.contains(&code),
            (_, Ok(_)) => true,
        };
        if !allowed {
            findings.fault(&folder, None, format!("`languages` in problem.yaml doesn't allow `{language}`"));
        }
        include.by_language.insert(language, placed);
    }
    include
}
