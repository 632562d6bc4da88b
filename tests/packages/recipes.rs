//! Recipes of tests: read in every format, and written into a package that may have some already.

use rstest::rstest;
use touchstone::domain::slug::Slug;
use touchstone::package::{FormatVersion, Package, PackageTree, Recipe, TestInput, with_recipes};

use super::written::Written;

const FILE: &str = "generators/generators.yaml";
const RECIPES: &str = "data:\n  secret:\n    data:\n      made: gen 1 2\n";

fn legacy(format: &str) -> Written {
    Written::legacy().adding("problem.yaml", &format!("problem_format_version: {format}\n"))
}

fn recipe(name: &str, command: &str) -> Recipe {
    Recipe { name: name.to_owned(), command: command.to_owned() }
}

fn names(package: &Package) -> Vec<&str> {
    package.cases.iter().map(|case| case.name.as_str()).collect()
}

fn text(tree: &PackageTree) -> String {
    String::from_utf8(tree.read(tree.find(FILE).unwrap()).unwrap()).unwrap()
}

#[rstest]
#[case(legacy("legacy"), FormatVersion::Legacy)]
#[case(legacy("legacy-icpc"), FormatVersion::LegacyIcpc)]
#[case(Written::modern("2023-07-draft"), FormatVersion::Draft202307)]
#[case(Written::modern("2025-09"), FormatVersion::V202509)]
fn every_format_makes_what_generators_yaml_says(#[case] written: Written, #[case] format: FormatVersion) {
    let written = written.with("generators/gen.py", "").with(FILE, RECIPES);
    let package = written.read();
    assert_eq!((package.format, names(&package)), (format, vec!["sample/1", "secret/1", "secret/made"]));
    let TestInput::Generated { program, args } = &package.cases[2].input else { panic!("it is made") };
    assert_eq!((program.name.as_str(), args.join(" ").as_str()), ("gen", "1 2"));
    assert_eq!(written.warnings(), [] as [String; 0]);
}

#[rstest]
#[case(legacy("legacy"))]
#[case(legacy("legacy-icpc"))]
#[case(Written::modern("2023-07-draft"))]
fn earlier_formats_are_taken_without_what_cannot_be_read(#[case] written: Written) {
    let written = written.with("generators/gen.py", "").with(FILE, &format!("{RECIPES}visualizer: /x\n"));
    assert_eq!(names(&written.read()), ["sample/1", "secret/1"]);
    let told =
        "generators/generators.yaml:5: it is not used, so every test must be there as a file: `visualizer` isn't";
    assert!(written.warnings()[0].starts_with(told), "{:?}", written.warnings());
    let of_today = Written::modern("2025-09").with("generators/gen.py", "").with(FILE, "visualizer: /x\n");
    assert!(of_today.faults().contains("`visualizer` isn't known here"));
}

#[test]
fn recipes_are_added_and_nothing_else_changes() {
    let slug: Slug = "sum".parse().unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/minimal");
    let before = PackageTree::from_folder(&folder).unwrap();
    let (package, _) = Package::read(&before, &slug).unwrap();
    let recipes =
        [recipe("secret/06-new", "pair 3 -4"), recipe("sample/2", "pair.py 1 1"), recipe("secret/x", "pear 1")];
    let with = with_recipes(&before, &slug, &recipes[..2]).unwrap();
    assert_eq!((with.written, with.needs_answers), (vec![0, 1], false));
    let after = text(&with.tree);
    let mut lines = after.lines();
    assert!(text(&before).lines().all(|line| lines.any(|other| other == line)), "{after}");
    assert!(after.contains("      \"06-new\": 'pair 3 -4'\n  invalid_input:\n"), "{after}");
    let (again, warnings) = Package::read(&with.tree, &slug).unwrap();
    assert_eq!(warnings, []);
    let mut wanted = names(&package);
    wanted.extend(["secret/06-new", "sample/2"]);
    wanted.sort_unstable();
    assert_eq!(names(&again), wanted);
    let none = with_recipes(&before, &slug, &recipes).unwrap();
    assert_eq!(
        (none.written, none.tree.hash().unwrap()),
        (vec![], before.hash().unwrap()),
        "there is no such generator"
    );
}

#[rstest]
#[case(Written::modern("2025-09").test("secret/large/2").without("data/secret/1"))]
#[case(legacy("legacy").test("secret/large/2").without("data/secret/1"))]
fn a_package_without_the_file_gets_one(#[case] written: Written) {
    let slug: Slug = "sum".parse().unwrap();
    let before = written.with("generators/gen/main.py", "").tree();
    let recipes = [recipe("secret/large/1", "gen 'quoted' # 5"), recipe("secret/seeded", "gen {seed}")];
    let with = with_recipes(&before, &slug, &recipes).unwrap();
    assert_eq!(with.written, [0], "braces would be filled in");
    assert_eq!(
        text(&with.tree),
        "# Tests that generators make; the others are the files in data/.\ndata:\n  secret:\n    data:\n      large:\n        \
         data:\n          \"1\": 'gen ''quoted'' # 5'\n"
    );
    assert_eq!(names(&Package::read(&with.tree, &slug).unwrap().0), ["sample/1", "secret/large/1", "secret/large/2"]);
}

#[test]
fn a_package_that_judges_by_itself_needs_the_answers_too() {
    let slug: Slug = "sum".parse().unwrap();
    let written = Written::modern("2025-09").with("output_validator/check.py", "").with("generators/gen.py", "");
    let with = with_recipes(&written.tree(), &slug, &[recipe("secret/2", "gen 1")]).unwrap();
    assert_eq!((with.written, with.needs_answers), (vec![0], true));
}
