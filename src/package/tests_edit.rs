//! A package with the tests that a judge has now: some were added, edited, moved, shown to all or deleted since it came.
//!
//! Owns: which files of `data/` and which lines of `generators.yaml` become what, so that the package says exactly these
//! tests. Where its names and folders can't say their order and groups, `touchstone-tests.yaml` does. Must not know: where
//! a judge keeps tests and their contents.

use std::collections::{BTreeMap, BTreeSet};

use super::data::files::{self, CaseFiles};
use super::data::listing;
use super::fault::{Findings, PackageError};
use super::generators_edit::{Recipe, with_recipes, without_tests};
use super::generators_yaml::ListedCase;
use super::layout::Layout;
use super::metadata::FormatVersion;
use super::model::{Package, TestCase, TestInput, TestKind};
use super::path::PackagePath;
use super::reader::read_generators;
use super::setting_edit::with_setting;
use super::tree::PackageTree;
use crate::domain::slug::Slug;

/// A file that isn't there yet, while the package is read to see what it says.
const STAND_IN: &[u8] = b"-\n";

/// A test as a judge has it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentTest {
    /// Its name. A test of the package with this name is what it was made from.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Whether everybody may see it.
    pub sample: bool,
    /// Whether its input is still the package's own.
    pub own: bool,
    /// The generator's command that makes its input.
    pub recipe: Option<String>,
    /// The submission's arguments.
    pub args: Vec<String>,
    /// The output validator's arguments.
    pub output_validator_args: Vec<String>,
}

/// One of a test's two contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestPart {
    /// What programs read.
    Input,
    /// What is right.
    Answer,
}

/// A file that the package needs and hasn't got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Where it must lie.
    pub path: String,
    /// Which of the tests it is of, by place.
    pub test: usize,
    /// Which of its contents it is.
    pub part: TestPart,
}

/// A package with other tests.
#[derive(Debug)]
pub struct WithTests {
    /// Its files.
    pub tree: PackageTree,
    /// Those that must come beside them.
    pub missing: Vec<Missing>,
}

/// The package with exactly these tests, in this order.
///
/// # Errors
/// [`PackageError`] when the package itself can't be read.
pub fn with_tests(tree: &PackageTree, slug: &Slug, tests: &[CurrentTest]) -> Result<WithTests, PackageError> {
    let (before, _) = Package::read(tree, slug)?;
    let io = |source| PackageError::Io { path: "data".to_owned(), source };
    let layout = Layout::of(before.format);
    let mut unheard = Findings::default();
    let sorted = files::sort(tree, &layout, &mut unheard);
    let listed = read_generators(tree, &layout, &mut unheard).map_err(io)?.cases;
    let edit =
        Edit { tree, slug, before: &before, layout, files: sorted.cases, settings: sorted.groups, listed, tests };
    let plan = edit.plan(&BTreeSet::new());
    let (made, after) = edit.carried_out(&plan);
    let Some(after) = after else { return Ok(made) };
    // Before the formats with settings of a single test, only the folder says how it is judged.
    let misplaced = edit.judged_otherwise(&plan, &after);
    if !edit.layout.is_legacy() || misplaced.is_empty() {
        return Ok(edit.finished(&plan, made, &after));
    }
    let plan = edit.plan(&misplaced.into_iter().collect());
    let (made, after) = edit.carried_out(&plan);
    Ok(match after {
        Some(after) => edit.finished(&plan, made, &after),
        None => made,
    })
}

/// What a test has of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Has {
    /// Everything.
    All,
    /// Its settings; input and answer are others.
    Settings,
    /// Nothing.
    Nothing,
}

/// Where a test goes.
struct Place<'a> {
    /// Its path below `data/`.
    name: String,
    /// What it was made from.
    case: Option<&'a TestCase>,
    has: Has,
}

impl Place<'_> {
    /// Whether all of it is the package's own and stays where it is.
    fn stays(&self) -> bool {
        self.has == Has::All && self.case.is_some_and(|case| case.name == self.name)
    }

    fn path(&self, ending: &str) -> Option<PackagePath> {
        format!("data/{}{ending}", self.name).parse().ok()
    }
}

struct Edit<'a> {
    tree: &'a PackageTree,
    slug: &'a Slug,
    before: &'a Package,
    layout: Layout,
    files: BTreeMap<String, CaseFiles>,
    /// Files with groups' settings, by folder.
    settings: BTreeMap<String, PackagePath>,
    /// What `generators.yaml` says.
    listed: Vec<ListedCase>,
    tests: &'a [CurrentTest],
}

fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("secret", |(folder, _)| folder)
}

impl<'a> Edit<'a> {
    fn case(&self, name: &str) -> Option<&'a TestCase> {
        self.before.cases.iter().find(|case| case.name == name)
    }

    /// Where each test goes. Those in `at_home` stay in the folder of the package where they were, or where tests are that
    /// are judged like them.
    fn plan(&self, at_home: &BTreeSet<usize>) -> Vec<Place<'a>> {
        let folders: Vec<String> = self
            .tests
            .iter()
            .enumerate()
            .map(|(at, test)| self.folder(test, self.case(&test.name), at_home.contains(&at)))
            .collect();
        // As on a disk that doesn't tell capitals from small letters.
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for folder in folders.iter().map(String::as_str).chain(self.settings.keys().map(String::as_str)) {
            let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
            taken.extend(ends.filter_map(|end| folder.get(..end)).map(str::to_ascii_lowercase));
        }
        taken.extend(self.before.sample_interactions.iter().map(|shown| shown.name.to_ascii_lowercase()));
        let stays = |case: &TestCase, folder: &str| folder_of(&case.name) == folder;
        for (test, folder) in self.tests.iter().zip(&folders) {
            let case = self.case(&test.name).filter(|case| stays(case, folder));
            taken.extend(case.map(|case| case.name.to_ascii_lowercase()));
        }
        let group_file = self.layout.group_file.trim_end_matches(".yaml");
        let mut places = Vec::with_capacity(self.tests.len());
        for (test, folder) in self.tests.iter().zip(&folders) {
            let case = self.case(&test.name);
            let has = match case {
                Some(_) if test.own => Has::All,
                Some(_) => Has::Settings,
                None => Has::Nothing,
            };
            let name = if let Some(case) = case.filter(|case| stays(case, folder)) {
                case.name.clone()
            } else {
                let stem = test.name.rsplit('/').next().unwrap_or(&test.name);
                let mut name = format!("{folder}/{stem}");
                let mut number = 1_u32;
                while stem == group_file && number == 1 || !taken.insert(name.to_ascii_lowercase()) {
                    number += 1;
                    name = format!("{folder}/{stem}-{number}");
                }
                name
            };
            places.push(Place { name, case, has });
        }
        places
    }

    /// The folder of a test: its group's, if the package has or may have such a folder.
    fn folder(&self, test: &CurrentTest, case: Option<&TestCase>, at_home: bool) -> String {
        if test.sample {
            return "sample".to_owned();
        }
        let home = case.filter(|case| case.kind == TestKind::Secret);
        let same = home.filter(|case| {
            at_home || case.listed_group.as_deref().unwrap_or_else(|| folder_of(&case.name)) == test.group
        });
        if let Some(case) = same {
            return folder_of(&case.name).to_owned();
        }
        if !at_home && self.may_have(&test.group) {
            return test.group.clone();
        }
        let mut secret = self.before.cases.iter().filter(|case| case.kind == TestKind::Secret);
        let like = home.or_else(|| secret.next_back());
        like.map_or("secret", |case| folder_of(&case.name)).to_owned()
    }

    /// Whether a test may lie in this folder. In format `2025-09` a new one beside others would be a fault, or a group
    /// that the package says nothing about.
    fn may_have(&self, folder: &str) -> bool {
        let there = self.before.cases.iter().any(|case| folder_of(&case.name) == folder);
        let is_test = self.before.cases.iter().any(|case| case.name.eq_ignore_ascii_case(folder));
        there || (self.before.format != FormatVersion::V202509 && listing::is_group(folder) && !is_test)
    }

    /// The package so changed, but for order and groups, and what it says then; `None` when it can't be read.
    fn carried_out(&self, plan: &[Place<'a>]) -> (WithTests, Option<Package>) {
        let mut tree = self.tree.moved(&self.new_places(plan));
        let gone: BTreeSet<String> = self.lines_that_go(plan);
        if !gone.is_empty() {
            tree = without_tests(&tree, &gone);
        }
        let mut missing = Vec::new();
        let mut recipes: Vec<(usize, Recipe)> = Vec::new();
        for (at, (test, place)) in self.tests.iter().zip(plan).enumerate() {
            let lies_there = |ending: &str| place.path(ending).is_some_and(|path| tree.contains(&path));
            if place.stays() || (place.has == Has::All && lies_there(".in")) {
                continue;
            }
            let generated = place.case.is_some_and(|case| matches!(case.input, TestInput::Generated { .. }));
            match &test.recipe {
                Some(command) if place.has != Has::All || generated => {
                    recipes.push((at, Recipe { name: place.name.clone(), command: command.clone() }));
                }
                _ => missing.extend(contents(at, place, &tree)),
            }
        }
        let places: Vec<usize> = recipes.iter().map(|(at, _)| *at).collect();
        let recipes: Vec<Recipe> = recipes.into_iter().map(|(_, recipe)| recipe).collect();
        let mut written = BTreeSet::new();
        let mut needs_answers = false;
        // Where recipes can't be added, all is there as files.
        if let Some(with) = Some(recipes)
            .filter(|recipes| !recipes.is_empty())
            .and_then(|recipes| with_recipes(&with_stand_ins(&tree, &missing), self.slug, &recipes).ok())
        {
            written = with.written.iter().filter_map(|&at| places.get(at).copied()).collect();
            needs_answers = with.needs_answers;
            let stood_in = missing.iter().filter_map(|one| Some((one.path.parse().ok()?, None))).collect();
            tree = with.tree.moved(&stood_in);
        }
        for at in places {
            let Some(place) = plan.get(at) else { continue };
            let files = contents(at, place, &tree);
            let is_written = written.contains(&at);
            missing.extend(files.filter(|one| !is_written || (needs_answers && one.part == TestPart::Answer)));
        }
        let after = Package::read(&with_stand_ins(&tree, &missing), self.slug);
        (WithTests { tree, missing }, after.ok().map(|(package, _)| package))
    }

    /// Where each file of the package's tests goes.
    fn new_places(&self, plan: &[Place<'a>]) -> BTreeMap<PackagePath, Option<PackagePath>> {
        let mut places = BTreeMap::new();
        let of_case: BTreeMap<&str, &Place<'_>> =
            plan.iter().filter_map(|place| Some((place.case?.name.as_str(), place))).collect();
        for case in &self.before.cases {
            let (place, Some(files)) = (of_case.get(case.name.as_str()), self.files.get(&case.name)) else { continue };
            for (ending, path) in files.endings() {
                // What was made for the old input isn't shown with the new one.
                let is_setting = matches!(ending, ".yaml" | ".hint" | ".desc");
                let kept = place.filter(|place| place.has == Has::All || is_setting);
                places.insert(path.clone(), kept.and_then(|place| place.path(ending)));
            }
            for file in &files.files {
                let new = place.and_then(|place| place.path(&format!(".files/{}", file.name)));
                places.insert(file.path.clone(), new);
            }
        }
        // In format 2025-09 a group without tests is a fault.
        if self.before.format == FormatVersion::V202509 {
            for (folder, path) in self.settings.iter().filter(|(folder, _)| folder.starts_with("secret/")) {
                let inside = format!("{folder}/");
                if !plan.iter().any(|place| place.name.starts_with(&inside)) {
                    places.insert(path.clone(), None);
                }
            }
        }
        places.extend(self.tree.find(listing::FILE).map(|path| (path.clone(), None)));
        places
    }

    /// The tests that `generators.yaml` makes or names and that are now others, elsewhere or gone.
    fn lines_that_go(&self, plan: &[Place<'a>]) -> BTreeSet<String> {
        let goes = |listed: &&ListedCase| {
            let place = plan.iter().find(|place| place.case.is_some_and(|case| case.name == listed.name));
            match place {
                None => self.case(&listed.name).is_some(),
                Some(place) => place.name != listed.name || (!place.stays() && listed.input.is_some()),
            }
        };
        self.listed.iter().filter(goes).map(|listed| listed.name.clone()).collect()
    }

    /// The tests that would be judged otherwise than now, by place.
    fn judged_otherwise(&self, plan: &[Place<'a>], after: &Package) -> Vec<usize> {
        let cases: BTreeMap<&str, &TestCase> = after.cases.iter().map(|case| (case.name.as_str(), case)).collect();
        let tests = self.tests.iter().zip(plan).enumerate();
        let differs = |test: &CurrentTest, case: &TestCase| {
            (&test.args, &test.output_validator_args) != (&case.args, &case.output_validator_args)
        };
        let others = tests.filter(|(_, (test, place))| {
            cases.get(place.name.as_str()).is_some_and(|case| !test.sample && differs(test, case))
        });
        others.map(|(at, _)| at).collect()
    }

    /// With what folders and names can't say: each test's own settings, the order and the groups.
    fn finished(&self, plan: &[Place<'a>], made: WithTests, after: &Package) -> WithTests {
        let mut tree = made.tree;
        let cases: BTreeMap<&str, &TestCase> = after.cases.iter().map(|case| (case.name.as_str(), case)).collect();
        for (test, place) in self.tests.iter().zip(plan) {
            let Some(case) = cases.get(place.name.as_str()).filter(|_| !self.layout.is_legacy()) else { continue };
            let list = |args: &[String]| serde_json::to_string(args).unwrap_or_default();
            let text = |text: &Option<String>| text.as_ref().and_then(|text| serde_json::to_string(text).ok());
            let was = place.case;
            let settings = [
                ("args", (case.args != test.args).then(|| list(&test.args))),
                (
                    "output_validator_args",
                    (case.output_validator_args != test.output_validator_args)
                        .then(|| list(&test.output_validator_args)),
                ),
                (
                    "description",
                    was.filter(|was| was.description != case.description).and_then(|was| text(&was.description)),
                ),
                ("hint", was.filter(|was| was.hint != case.hint).and_then(|was| text(&was.hint))),
            ];
            for (key, value) in settings {
                let (Some(value), Some(path)) = (value, place.path(".yaml")) else { continue };
                let there = tree.read(&path).unwrap_or_default();
                tree = match with_setting(&there, key, Some(&value)) {
                    Some(changed) => tree.with_contents([(path, changed)]),
                    None => tree,
                };
            }
        }
        let in_order =
            after.cases.iter().map(|case| case.name.as_str()).eq(plan.iter().map(|place| place.name.as_str()));
        let group = |test: &CurrentTest, place: &Place<'_>| {
            (!test.sample && test.group != folder_of(&place.name) && listing::is_group(&test.group))
                .then(|| test.group.clone())
        };
        let groups: Vec<Option<String>> = self.tests.iter().zip(plan).map(|(test, place)| group(test, place)).collect();
        let said = in_order && groups.iter().all(Option::is_none);
        if let (false, false, Ok(path)) = (said, after.data.decides(), listing::FILE.parse()) {
            let tests = plan.iter().zip(&groups).map(|(place, group)| (place.name.as_str(), group.as_deref()));
            tree = tree.with_contents([(path, listing::text(tests).into_bytes())]);
        }
        WithTests { tree, missing: made.missing }
    }
}

/// The contents of a test that the package hasn't got.
fn contents(test: usize, place: &Place<'_>, tree: &PackageTree) -> impl Iterator<Item = Missing> {
    let parts = [(TestPart::Input, ".in"), (TestPart::Answer, ".ans")];
    parts.into_iter().filter_map(move |(part, ending)| {
        let path = place.path(ending).filter(|path| !tree.contains(path))?;
        Some(Missing { path: path.to_string(), test, part })
    })
}

/// The package as it will be, with something in the files that aren't there yet.
fn with_stand_ins(tree: &PackageTree, missing: &[Missing]) -> PackageTree {
    let paths = missing.iter().filter_map(|one| one.path.parse().ok());
    tree.with_contents(paths.map(|path: PackagePath| (path, STAND_IN.to_vec())))
}
