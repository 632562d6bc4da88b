//! A version of a problem's package as a zip, with the tests that were added in the browser: those that a generator makes
//! as its commands in `generators.yaml`, the others as files. Must not know: how a package is read or packed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Seek as _;
use std::path::Path;

use super::problems::{ProblemError, off_thread};
use super::{Actor, Service, require};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::TestSetId;
use crate::domain::slug::Slug;
use crate::package::{PackageTree, Recipe, with_recipes};
use crate::store::package::PackageFile;
use crate::store::test_case::{TestCase, TestOrigin};
use crate::store::{StoreError, blob, package, problem, test_case};

/// A test that was added, as the package will have it.
struct Added {
    /// Its path below `data/`.
    name: String,
    test: TestCase,
}

impl Added {
    fn file(&self, ending: &str) -> PackageFile {
        let (sha256, bytes): (Sha256, u64) = match ending {
            "in" => (self.test.input_sha256, self.test.input_bytes),
            _ => (self.test.answer_sha256, self.test.answer_bytes),
        };
        PackageFile { path: format!("data/{}.{ending}", self.name), sha256, bytes, executable: false }
    }
}

impl Service {
    /// A version of a problem's package as a zip, with the tests that were added in the browser if it is in force. The
    /// file is at its start and goes when nobody reads it any more; nothing of it is held in memory.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::NoSuchProblem`], [`ProblemError::NoSuchVersion`].
    pub async fn export_package(
        &self,
        actor: &Actor,
        slug: &str,
        version: u64,
        scratch: &Path,
    ) -> Result<File, ProblemError> {
        require(actor, Role::Setter)?;
        let found = problem::by_slug(self.store.read(), slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        let versions = package::history(self.store.read(), problem.id).await?;
        let wanted = versions.iter().find(|one| one.version == version);
        let wanted = wanted.ok_or(ProblemError::NoSuchVersion(version))?.id;
        let own = package::files(self.store.read(), wanted).await?;
        let added = match problem.test_set_id.filter(|_| problem.package_id == Some(wanted)) {
            Some(set) => self.added(set, &own).await?,
            None => Vec::new(),
        };
        std::fs::create_dir_all(scratch).map_err(StoreError::from)?;
        let folder = tempfile::tempdir_in(scratch).map_err(StoreError::from)?;
        let tree = self.on_disk(own, folder.path(), "own").await?;
        let (tree, beside) = recipes_in(tree, problem.slug.clone(), added).await?;
        let beside = self.on_disk(beside, folder.path(), "beside").await?;
        let top = problem.slug.to_string();
        let zip = off_thread(move || -> std::io::Result<File> {
            let tree = tree.and(&beside).map_err(std::io::Error::other)?;
            let mut zip = tree.write_zip(tempfile::tempfile_in(folder.path())?, &top)?;
            zip.rewind()?;
            Ok(zip)
        });
        Ok(zip.await?.map_err(StoreError::from)?)
    }

    /// Stored files, copied below this folder.
    async fn on_disk(&self, files: Vec<PackageFile>, folder: &Path, stem: &str) -> Result<PackageTree, StoreError> {
        let mut there = Vec::with_capacity(files.len());
        for (number, file) in files.into_iter().enumerate() {
            let path = folder.join(format!("{stem}-{number}"));
            blob::copy_to(self.store.read(), file.sha256, File::create_new(&path)?).await?;
            there.push((file.path, path, file.bytes, file.executable));
        }
        Ok(PackageTree::from_disk(there).map_err(std::io::Error::other)?)
    }

    /// The tests that were added in the browser, under names that the package has not.
    async fn added(&self, set: TestSetId, there: &[PackageFile]) -> Result<Vec<Added>, StoreError> {
        let tests = test_case::list(self.store.read(), set).await?;
        let inputs = there.iter().filter_map(|file| file.path.strip_prefix("data/")?.strip_suffix(".in"));
        // Tests of the package, made ones too.
        let own = tests.iter().filter(|test| test.origin != TestOrigin::Added).map(|test| test.name.as_str());
        let mut taken: BTreeSet<String> = inputs.chain(own).map(str::to_owned).collect();
        // A folder of its own would be a group that the package says nothing about.
        let folders: BTreeSet<String> =
            taken.iter().filter_map(|name| name.rsplit_once('/')).map(|(folder, _)| folder.to_owned()).collect();
        let mut added = Vec::new();
        for test in tests.into_iter().filter(|test| test.origin == TestOrigin::Added) {
            let in_a_group = !test.sample && test.group.starts_with("secret/") && folders.contains(&test.group);
            let folder = if test.sample { "sample" } else { "secret" };
            let folder = if in_a_group { test.group.as_str() } else { folder };
            let stem = test.name.rsplit('/').next().unwrap_or(&test.name);
            let mut name = format!("{folder}/{stem}");
            // An edited test of the package doesn't hide the package's own.
            while !taken.insert(name.clone()) {
                name.push_str("-edited");
            }
            added.push(Added { name, test });
        }
        Ok(added)
    }
}

/// The package with the commands that made tests, and the files of all that can't be written so.
async fn recipes_in(
    tree: PackageTree,
    slug: Slug,
    added: Vec<Added>,
) -> Result<(PackageTree, Vec<PackageFile>), StoreError> {
    let recipe = |(at, added): (usize, &Added)| {
        let command = added.test.recipe.clone()?;
        Some((at, Recipe { name: added.name.clone(), command }))
    };
    let (places, recipes): (Vec<usize>, Vec<Recipe>) = added.iter().enumerate().filter_map(recipe).unzip();
    let files = |made: &BTreeSet<usize>, needs_answers: bool| {
        let mut files = Vec::new();
        for (at, added) in added.iter().enumerate() {
            let is_made = made.contains(&at);
            files.extend((!is_made).then(|| added.file("in")));
            files.extend((!is_made || needs_answers).then(|| added.file("ans")));
        }
        files
    };
    if recipes.is_empty() {
        return Ok((tree, files(&BTreeSet::new(), false)));
    }
    let (tree, with) = off_thread(move || {
        let with = with_recipes(&tree, &slug, &recipes);
        (tree, with)
    })
    .await?;
    // A package that a later version of the program reads otherwise still comes out whole.
    let Ok(with) = with else { return Ok((tree, files(&BTreeSet::new(), false))) };
    let made = with.written.iter().filter_map(|&at| places.get(at).copied()).collect();
    Ok((with.tree, files(&made, with.needs_answers)))
}
