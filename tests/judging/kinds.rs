//! Every kind of package in the server: offered, verified, published, judged by a worker over a real database.

use std::path::Path;

use rstest::rstest;
use touchstone::clock;
use touchstone::domain::account::Role;
use touchstone::domain::ids::SubmissionId;
use touchstone::domain::slug::Slug;
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;
use touchstone::package::PackageTree;
use touchstone::service::Actor;
use touchstone::service::problems::Publish;
use touchstone::service::submissions::{NewSubmission, Repeat, SubmissionPage};
use touchstone::service::trials::TryProgram;
use touchstone::store::package::{self, PackageState};
use touchstone::store::problem;
use touchstone::store::verification::VerificationState;

use crate::worker::Judge;

/// Offers the package of this folder, some of its files replaced, and waits for what becomes of it.
async fn publish(judge: &Judge, name: &str, changes: &[(&str, &str)]) -> (PackageState, String) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(name);
    PackageTree::from_folder(&Path::new("tests/packages").join(name)).unwrap().materialize(&place).unwrap();
    for (path, text) in changes {
        std::fs::create_dir_all(place.join(path).parent().unwrap()).unwrap();
        std::fs::write(place.join(path), text).unwrap();
    }
    let slug: Slug = name.parse().unwrap();
    let tree = PackageTree::from_folder(&place).unwrap();
    judge.service.offer_tree(None, &slug, tree, Publish::WhenVerified, clock::now()).await.unwrap();
    judge
        .until(async |judge| {
            let found = problem::by_slug(judge.store.read(), name).await.unwrap()?;
            let newest = package::versions(judge.store.read(), found.id).await.unwrap().remove(0);
            (newest.state != PackageState::Queued).then(|| (newest.state, newest.message.unwrap_or_default()))
        })
        .await
}

async fn submit(judge: &Judge, actor: &Actor, problem: &str, source: &str) -> SubmissionId {
    let new = NewSubmission {
        contest: None,
        problem: problem.to_owned(),
        language: "python3".parse().unwrap(),
        entry_point: None,
        files: vec![SourceFile::text("a.py", source.as_bytes().to_vec()).unwrap()],
        repeat: Repeat::Never,
    };
    judge.service.submit(actor, new, clock::now()).await.unwrap()
}

fn verdict_of(page: &SubmissionPage) -> Verdict {
    page.judgement.as_ref().unwrap().verdict.unwrap()
}

/// The text of a file of one of the packages.
fn program(path: &str) -> String {
    std::fs::read_to_string(Path::new("tests/packages").join(path)).unwrap()
}

#[rstest]
#[case::own_output_validator("checked", "accepted/halves.py", "wrong_answer/with_zero.py")]
#[case::interactive("guess", "accepted/halving.py", "wrong_answer/one_by_one.py")]
#[case::multi_pass("passes", "accepted/next.py", "wrong_answer/stops.py")]
#[case::scores("points", "accepted/sum.py", "wrong_answer/no_signs.py")]
#[case::included_files_arguments_and_files_beside("beside", "accepted/reads.py", "wrong_answer/no_arguments.py")]
#[case::generated_tests("minimal", "accepted/sum.py", "wrong_answer/minus.py")]
#[tokio::test(flavor = "multi_thread")]
async fn it_is_published_and_its_programs_get_their_verdicts(
    #[case] name: &str,
    #[case] right: &str,
    #[case] wrong: &str,
) {
    let judge = Judge::start().await;
    assert_eq!(publish(&judge, name, &[]).await, (PackageState::Ready, String::new()));
    let ann = judge.person("ann", Role::Contestant).await;
    let judy = judge.person("judy", Role::Judge).await;
    for (path, verdict) in [(right, Verdict::Accepted), (wrong, Verdict::WrongAnswer)] {
        let source = program(&format!("{name}/submissions/{path}"));
        let id = submit(&judge, &ann, name, &source).await;
        let page = judge.verdict(&ann, id).await;
        assert_eq!(verdict_of(&page), verdict, "{path}: {page:?}");
        // The receipt names the validator exactly where the package has its own.
        let receipt = judge.verdict(&judy, id).await.judgement.unwrap().receipt.unwrap();
        let own = ["checked", "guess", "passes"].contains(&name);
        assert_eq!(receipt.contains("\"validator\":"), own, "{receipt}");
        assert_eq!(receipt.contains("\"included\":"), name == "beside", "{receipt}");
        assert_eq!(receipt.contains("\"groups\":"), name == "points", "{receipt}");
    }
    // Trying it on the samples goes the same way.
    let new = TryProgram {
        contest: None,
        problem: name.to_owned(),
        language: "python3".parse().unwrap(),
        file: SourceFile::text("a.py", program(&format!("{name}/submissions/{right}")).into_bytes()).unwrap(),
        input: None,
    };
    let mut bell = judge.store.trials();
    let id = judge.service.try_program(&ann, new, clock::now()).await.unwrap();
    let outcome = loop {
        bell.borrow_and_update();
        if let Some(outcome) = judge.service.trial(&ann, id, clock::now()).await.unwrap().unwrap().outcome {
            break outcome;
        }
        bell.changed().await.unwrap();
    };
    assert!(!outcome.fault && outcome.runs.len() == 1, "{outcome:?}");
    assert_eq!(outcome.runs[0].verdict, Verdict::Accepted, "{outcome:?}");
    // What the verification found is kept.
    let page = judge.service.verification(&judge.person("sol", Role::Setter).await, name, None).await.unwrap();
    assert_eq!(page.shown.unwrap().state, VerificationState::Holds);
    let report = page.report.unwrap().verification;
    assert!(report.holds && report.kills.survivors.is_empty(), "{report:?}");
    assert!(report.rows.iter().any(|row| row.program == wrong && row.got == Verdict::WrongAnswer), "{report:?}");
    assert_eq!(page.programs.len(), report.rows.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn scores_and_groups_are_kept_and_shown_as_far_as_the_problem_shows_them() {
    let judge = Judge::start().await;
    assert_eq!(publish(&judge, "points", &[]).await.0, PackageState::Ready);
    let ann = judge.person("ann", Role::Contestant).await;
    let judy = judge.person("judy", Role::Judge).await;
    let source = "words = input().split()\nprint(sum(map(int, words)) if '-' not in words[0] else 0)\n";
    let id = submit(&judge, &ann, "points", source).await;
    let own = judge.verdict(&ann, id).await.judgement.unwrap();
    assert_eq!(own.score, Some(40.0));
    let names = |groups: Option<touchstone::store::GroupResults>| -> Vec<(String, Option<f64>)> {
        groups.unwrap().0.into_iter().map(|group| (group.name, group.score)).collect()
    };
    assert_eq!(names(own.groups), [("data".to_owned(), Some(40.0))], "the score alone is its author's business");
    let seen = judge.verdict(&judy, id).await.judgement.unwrap();
    let seen = names(seen.groups);
    assert!(seen.contains(&("secret/a".to_owned(), Some(40.0))), "{seen:?}");
    assert!(seen.contains(&("secret/b".to_owned(), Some(0.0))), "{seen:?}");
    // A test that is added by itself belongs to no group.
    let sol = judge.person("sol", Role::Setter).await;
    let new = touchstone::service::test_cases::NewTest {
        name: "more".to_owned(),
        input: b"8 9\n".to_vec().into(),
        sample: false,
    };
    let id = judge.service.add_test_case(&sol, "points", new, clock::now()).await.unwrap();
    let message = judge.until(async |judge| judge.service.proposal(&sol, id).await.unwrap().unwrap().message).await;
    assert!(message.contains("this problem has scores"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checker_that_fails_is_our_fault_and_its_words_are_for_judges_only() {
    let judge = Judge::start().await;
    assert_eq!(publish(&judge, "checked", &[]).await.0, PackageState::Ready);
    let ann = judge.person("ann", Role::Contestant).await;
    let judy = judge.person("judy", Role::Judge).await;
    let id = submit(&judge, &ann, "checked", "print('crash')").await;
    let own = judge.verdict(&ann, id).await;
    assert_eq!(verdict_of(&own), Verdict::JudgingError);
    let shown = format!("{own:?}");
    assert!(!shown.contains("a word that it does not know"), "{shown}");
    let words = judge.verdict(&judy, id).await.judgement.unwrap().judge_message.unwrap();
    assert!(words.contains("the checker met a word that it does not know"), "{words}");
    // Its words about a wrong output: the team's for the team, the judges' for the judges.
    let id = submit(&judge, &ann, "checked", "print(3, int(input()))").await;
    let own = judge.verdict(&ann, id).await;
    assert_eq!(own.judgement.as_ref().unwrap().message.as_deref(), Some("The sum is wrong."));
    assert_eq!(own.judgement.unwrap().judge_message, None);
    let words = judge.verdict(&judy, id).await.judgement.unwrap().judge_message.unwrap();
    assert_eq!(words, "the sum is 8, not 5");
}

#[rstest]
#[case::a_validator_takes_a_planted_input("data/invalid_input/bad.in", "7\n", "takes this input")]
#[case::a_test_is_invalid("data/secret/1.in", "seven\n", "refuses this input")]
#[case::a_wrong_program_survives(
    "submissions/wrong_answer/with_zero.py",
    "print(1, int(input()) - 1)\n",
    "no test rejects this wrong program"
)]
#[case::a_right_program_fails("submissions/accepted/halves.py", "print(int(input()), 0)\n", "gets wrong answer")]
#[case::a_promise_is_broken(
    "submissions/run_time_error/none.py",
    "print(1, int(input()) - 1)\n",
    "run_time_error/none.py"
)]
#[case::the_limit_leaves_too_little_room("", "", "too little room")]
#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_hold_is_not_published_and_says_why(
    #[case] path: &str,
    #[case] contents: &str,
    #[case] reason: &str,
) {
    let judge = Judge::start().await;
    let sol = judge.person("sol", Role::Setter).await;
    assert_eq!(publish(&judge, "checked", &[]).await.0, PackageState::Ready);
    let before = problem::by_slug(judge.store.read(), "checked").await.unwrap().unwrap();
    let slow = "import time\nstart = time.process_time()\nwhile time.process_time() - start < 1.1: pass\n\
                n = int(input())\nprint(n // 2, n - n // 2)\n";
    let changes = if path.is_empty() { vec![("submissions/accepted/halves.py", slow)] } else { vec![(path, contents)] };
    let (state, message) = publish(&judge, "checked", &changes).await;
    assert_eq!(state, PackageState::Refused, "{message}");
    assert!(message.contains(reason), "{message}");
    assert_eq!(problem::by_slug(judge.store.read(), "checked").await.unwrap().unwrap(), before, "it stays in force");
    let page = judge.service.verification(&sol, "checked", None).await.unwrap();
    let shown = page.shown.unwrap();
    assert_eq!((shown.state, shown.decides), (VerificationState::Broken, true));
    assert_eq!(shown.message.as_deref(), Some(message.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_without_a_limit_is_judged_with_the_one_that_its_programs_ask_for() {
    let judge = Judge::start().await;
    let open = program("checked/problem.yaml").replace("  time_limit: 2\n", "");
    assert_eq!(publish(&judge, "checked", &[("problem.yaml", &open)]).await, (PackageState::Ready, String::new()));
    let page = problem::page(judge.store.read(), "checked").await.unwrap().unwrap();
    assert_eq!(page.limits.cpu_ms % 1_000, 0);
    assert!((1_000..10_000).contains(&page.limits.cpu_ms), "{:?}", page.limits);
    assert_eq!(page.limits.wall_ms, 2 * page.limits.cpu_ms + 1_000);
}
