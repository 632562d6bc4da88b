//! The packages that come inside the program.

use rust_embed::RustEmbed;

use crate::domain::slug::Slug;
use crate::service::problems::OfferedFile;

#[derive(RustEmbed)]
#[folder = "problems/"]
struct Problems;

/// Every built-in package: its short name and its files.
pub fn packages() -> anyhow::Result<Vec<(Slug, Vec<OfferedFile>)>> {
    let mut packages: Vec<(Slug, Vec<OfferedFile>)> = Vec::new();
    let mut names: Vec<_> = Problems::iter().collect();
    names.sort_unstable();
    for name in names {
        let Some((slug, path)) = name.split_once('/') else { continue };
        let Some(file) = Problems::get(&name) else { continue };
        let file = OfferedFile { path: path.to_owned(), contents: file.data.into_owned() };
        match packages.last_mut() {
            Some((last, files)) if last.as_str() == slug => files.push(file),
            _ => packages.push((slug.parse()?, vec![file])),
        }
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_problems_are_in_the_program() {
        let slugs: Vec<String> = packages().unwrap().into_iter().map(|(slug, _)| slug.to_string()).collect();
        assert_eq!(slugs, ["curling", "lianliankan"]);
    }
}
