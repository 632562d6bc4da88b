//! A version of a problem's package as a zip; the version in force with exactly the tests that are. Must not know: how a
//! package is read, changed or packed.

use std::fs::File;
use std::io::Seek as _;
use std::path::Path;

use super::problems::{ProblemError, off_thread};
use super::{Actor, Service, require};
use crate::domain::account::Role;
use crate::domain::ids::TestSetId;
use crate::domain::slug::Slug;
use crate::package::{CurrentTest, PackageTree, TestPart, WithTests, with_tests};
use crate::store::package::PackageFile;
use crate::store::test_case::{TestCase, TestOrigin};
use crate::store::{StoreError, blob, package, problem, test_case};

/// What a test's own configuration says of its programs.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Arguments {
    output_validator_args: Vec<String>,
    args: Vec<String>,
}

impl Service {
    /// A version of a problem's package as a zip. The one in force has the tests in force and no others: what was added,
    /// edited, moved, shown to all or deleted since it came is so in its files. The file is at its start and goes when
    /// nobody reads it any more; nothing of it is held in memory.
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
        std::fs::create_dir_all(scratch).map_err(StoreError::from)?;
        let folder = tempfile::tempdir_in(scratch).map_err(StoreError::from)?;
        let tree = self.on_disk(own, folder.path(), "own").await?;
        let (tree, beside) = match problem.test_set_id.filter(|_| problem.package_id == Some(wanted)) {
            Some(set) => self.with_current_tests(tree, problem.slug.clone(), set).await?,
            None => (tree, Vec::new()),
        };
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

    /// The package with these tests, and the files that it needs for them.
    async fn with_current_tests(
        &self,
        tree: PackageTree,
        slug: Slug,
        set: TestSetId,
    ) -> Result<(PackageTree, Vec<PackageFile>), StoreError> {
        let tests = test_case::list(self.store.read(), set).await?;
        let current: Vec<CurrentTest> = tests.iter().map(current).collect();
        let (tree, with) = off_thread(move || {
            let with = with_tests(&tree, &slug, &current);
            (tree, with)
        })
        .await?;
        match with {
            Ok(WithTests { tree, missing }) => {
                let files =
                    missing.into_iter().filter_map(|one| Some(file_of(one.path, tests.get(one.test)?, one.part)));
                Ok((tree, files.collect()))
            }
            // A package that a later version of the program reads otherwise still comes out, as it came.
            Err(error) => {
                tracing::warn!(%error, "a package is exported without the changes to its tests");
                Ok((tree, Vec::new()))
            }
        }
    }
}

fn current(test: &TestCase) -> CurrentTest {
    let Arguments { output_validator_args, args } = serde_json::from_str(&test.config).unwrap_or_default();
    CurrentTest {
        name: test.name.clone(),
        group: test.group.clone(),
        sample: test.sample,
        own: test.origin != TestOrigin::Added,
        recipe: test.recipe.clone(),
        args,
        output_validator_args,
    }
}

fn file_of(path: String, test: &TestCase, part: TestPart) -> PackageFile {
    let (sha256, bytes) = match part {
        TestPart::Input => (test.input_sha256, test.input_bytes),
        TestPart::Answer => (test.answer_sha256, test.answer_bytes),
    };
    PackageFile { path, sha256, bytes, executable: false }
}
