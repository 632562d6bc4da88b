//! A problem's checker and languages, looked at and changed: a change makes the next version of the package, which a
//! worker prepares and verifies before it is in force. Also beginning a problem from a small one that verifies.

use super::problem_versions::{Change, SETTINGS};
use super::problems::{Offer, ProblemError};
use super::{Actor, Publish, Service, require};
use crate::domain::account::Role;
use crate::domain::ids::PackageId;
use crate::domain::language::LanguageId;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::package::{OutputValidator, setting, skeleton::skeleton, with_setting};
use crate::store::problem::Problem;
use crate::store::{StoreError, blob, package, problem, test_case};

pub use crate::grading::checker::CheckerFlags;

/// The file with settings of all tests, in the formats that have one for arguments of the checker.
const TESTS_SETTINGS: &str = "data/test_group.yaml";

/// Who compares outputs.
#[derive(Debug, Clone, PartialEq)]
pub enum Checker {
    /// The default one, with these flags for all tests; `None`: tests have different ones.
    Default(Option<CheckerFlags>),
    /// The package's own programs.
    Custom(Vec<String>),
}

/// What can be set besides limits and statements.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemSettings {
    /// Who compares outputs.
    pub checker: Checker,
    /// Ids of the languages that may be used; `None`: all.
    pub languages: Option<Vec<String>>,
}

impl Service {
    /// The settings of what is in force.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::NoSuchProblem`], [`ProblemError::NotReady`].
    pub async fn problem_settings(&self, actor: &Actor, slug: &str) -> Result<ProblemSettings, ProblemError> {
        require(actor, Role::Setter)?;
        let read = self.store.read();
        let found = problem::by_slug(read, slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        let (Some(id), Some(set)) = (problem.package_id, problem.test_set_id) else {
            return Err(ProblemError::NotReady(problem.slug));
        };
        let custom = self.own_checkers(id).await?;
        let checker = if custom.is_empty() {
            let mut of_tests = test_case::list(read, set).await?.into_iter().map(|test| flags_of(&test.config));
            let first = of_tests.next().unwrap_or_default();
            let same = of_tests.all(|flags| flags == first);
            Checker::Default(same.then_some(first))
        } else {
            Checker::Custom(custom)
        };
        Ok(ProblemSettings { checker, languages: package::languages(read, id).await?.map(|languages| languages.0) })
    }

    /// Offers the package in force with other flags of the default checker. `current` is the version that the editor saw.
    ///
    /// # Errors
    /// [`ProblemError`]: every variant but `Store` is for the form.
    pub async fn set_checker(
        &self,
        actor: &Actor,
        slug: &str,
        current: u64,
        flags: CheckerFlags,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        require(actor, Role::Setter)?;
        let tolerances = [flags.float_absolute_tolerance, flags.float_relative_tolerance];
        if tolerances.into_iter().flatten().any(|tolerance| !tolerance.is_finite() || tolerance < 0.0) {
            return Err(ProblemError::BadTolerance);
        }
        let (problem, id) = self.in_force(slug, current).await?;
        if !self.own_checkers(id).await?.is_empty() {
            return Err(ProblemError::OwnChecker);
        }
        let yaml = self.text_of(id, SETTINGS).await?.ok_or(StoreError::RowMissing(SETTINGS))?;
        let args = flags.args();
        let format = setting(&yaml, "problem_format_version");
        let is_old = format.is_none_or(|format| format.starts_with("legacy"));
        let (path, before, key, value) = if is_old {
            (SETTINGS, yaml, "validator_flags", args.join(" "))
        } else {
            let before = self.text_of(id, TESTS_SETTINGS).await?.unwrap_or_default();
            (TESTS_SETTINGS, before, "output_validator_args", format!("[{}]", args.join(", ")))
        };
        let value = Some(value.as_str()).filter(|_| !args.is_empty());
        self.offer_setting(actor, (&problem, id), "problem.checker", (path, before), (key, value), now).await
    }

    /// Offers the package in force with other languages; `None` allows all. `current` is the version that the editor
    /// saw.
    ///
    /// # Errors
    /// [`ProblemError`]: every variant but `Store` is for the form.
    pub async fn set_languages(
        &self,
        actor: &Actor,
        slug: &str,
        current: u64,
        languages: Option<&[LanguageId]>,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        require(actor, Role::Setter)?;
        if languages.is_some_and(<[LanguageId]>::is_empty) {
            return Err(ProblemError::NoLanguage);
        }
        let (problem, id) = self.in_force(slug, current).await?;
        let yaml = self.text_of(id, SETTINGS).await?.ok_or(StoreError::RowMissing(SETTINGS))?;
        let value = languages.map(|languages| {
            let ids: Vec<&str> = languages.iter().map(LanguageId::as_str).collect();
            format!("[{}]", ids.join(", "))
        });
        let setting = ("languages", value.as_deref());
        self.offer_setting(actor, (&problem, id), "problem.languages", (SETTINGS, yaml), setting, now).await
    }

    /// Begins a problem with a small package that verifies, to be changed.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::BadSlug`], [`ProblemError::Exists`].
    pub async fn create_problem(&self, actor: &Actor, slug: &str, now: EpochMs) -> Result<Slug, ProblemError> {
        require(actor, Role::Setter)?;
        let name: Slug = slug.parse().map_err(|_| ProblemError::BadSlug(slug.to_owned()))?;
        if problem::by_slug(self.store.read(), name.as_str()).await?.is_some() {
            return Err(ProblemError::Exists(name));
        }
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        match self.offer_tree(Some(actor), &name, skeleton(&name, random)?, Publish::WhenVerified, now).await? {
            Offer::Queued(_) | Offer::Known(_) => Ok(name),
        }
    }

    async fn offer_setting(
        &self,
        actor: &Actor,
        (problem, id): (&Problem, PackageId),
        act: &'static str,
        (path, before): (&str, Vec<u8>),
        (key, value): (&str, Option<&str>),
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        let contents = with_setting(&before, key, value).ok_or(ProblemError::SettingsByHand)?;
        if contents == before {
            return Err(ProblemError::SameAsBefore);
        }
        let change = Change { act, path: path.to_owned(), contents };
        self.offer_changed(actor, problem, id, change, now).await
    }

    async fn text_of(&self, id: PackageId, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match package::file(self.store.read(), id, path).await? {
            Some(file) => Ok(Some(blob::read(self.store.read(), file.sha256).await?)),
            None => Ok(None),
        }
    }

    /// The names of the package's own checkers; none: the default one compares.
    async fn own_checkers(&self, id: PackageId) -> Result<Vec<String>, StoreError> {
        let Some(metadata) = package::metadata(self.store.read(), id).await? else { return Ok(Vec::new()) };
        let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap_or_default();
        let rules = metadata.get("rules").and_then(|rules| rules.get("output_validator")).cloned();
        let validator: OutputValidator = rules.and_then(|it| serde_json::from_value(it).ok()).unwrap_or_default();
        Ok(validator.programs().iter().map(|program| program.name.clone()).collect())
    }
}

/// The flags that a test was prepared with.
fn flags_of(config: &str) -> CheckerFlags {
    #[derive(Default, serde::Deserialize)]
    struct Config {
        #[serde(default)]
        output_validator_args: Vec<String>,
    }
    let config: Config = serde_json::from_str(config).unwrap_or_default();
    CheckerFlags::parse(&config.output_validator_args).unwrap_or_default()
}
