//! Changed tests are verified by real workers before they count: what is known is not run again, and a change that breaks a
//! promise leaves what is in force as it was.

use touchstone::clock;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict;
use touchstone::domain::verification::ProgramResult;
use touchstone::service::problems::OfferedFile;
use touchstone::service::test_changes::TestChange;
use touchstone::service::verifications::VerificationPage;
use touchstone::store::package::PackageState;
use touchstone::store::problem;
use touchstone::store::proposal::ProposalState;
use touchstone::store::verification::VerificationState;

use crate::worker::{FILES, Judge};

/// Wrong on one input only.
const WRONG: (&str, &str) = (
    "submissions/wrong_answer/twelve.py",
    "total = sum(map(int, input().split()))\nprint(0 if total == 12 else total)\n",
);

async fn offer(judge: &Judge) -> PackageState {
    let file =
        |(path, text): &(&str, &str)| OfferedFile { path: (*path).to_owned(), contents: text.as_bytes().to_vec() };
    let files = FILES.iter().chain([&WRONG]).map(file).collect();
    let slug = "sum".parse().unwrap();
    judge.service.offer_package(None, &slug, files, clock::now()).await.unwrap();
    judge
        .until(async |judge| {
            let state = problem::overview(judge.store.read()).await.unwrap()[0].newest_state;
            (state != PackageState::Queued).then_some(state)
        })
        .await
}

/// The problem's newest verification, once it is over.
async fn verified(judge: &Judge, sol: &touchstone::service::Actor) -> VerificationPage {
    judge
        .until(async |judge| {
            let page = judge.service.verification(sol, "sum", None).await.unwrap();
            page.shown.as_ref().is_some_and(|shown| shown.end.is_some()).then_some(page)
        })
        .await
}

fn runs(page: &VerificationPage, program: &str) -> Vec<(Verdict, bool)> {
    let found: &ProgramResult = page.programs.iter().find(|one| one.name == program).unwrap();
    found.runs.iter().map(|run| (run.verdict, run.reused)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_new_tests_are_run_and_the_report_says_what_was_known() {
    let judge = Judge::start().await;
    assert_eq!(offer(&judge).await, PackageState::Ready);
    let sol = judge.person("sol", Role::Setter).await;
    let first = verified(&judge, &sol).await;
    assert_eq!(
        runs(&first, WRONG.0.trim_start_matches("submissions/")),
        [(Verdict::Accepted, false), (Verdict::WrongAnswer, false)]
    );
    assert!(!first.report.unwrap().verification.hints.iter().any(|hint| hint.contains("earlier verifications")));

    let accepted = judge.propose(&sol, "negative", "-5 2\n").await;
    assert_eq!((accepted.state, accepted.waits), (ProposalState::Accepted, false));
    let second = verified(&judge, &sol).await;
    let shown = second.shown.as_ref().unwrap();
    assert_eq!((shown.state, shown.decides, shown.of_changed_tests), (VerificationState::Holds, true, true));
    for program in ["accepted/a.py", "accepted/b.py"] {
        let accepted = Verdict::Accepted;
        assert_eq!(runs(&second, program), [(accepted, true), (accepted, true), (accepted, false)], "{program}");
    }
    let report = second.report.as_ref().unwrap();
    let hint = report.verification.hints.iter().find(|hint| hint.contains("earlier verifications")).unwrap();
    assert!(hint.starts_with("6 of 9 runs") && hint.ends_with("run now: negative"), "{hint}");
    let matrix = &report.verification.kill_matrix.programs[0];
    assert_eq!(matrix.verdicts, [Some(Verdict::Accepted), Some(Verdict::WrongAnswer), Some(Verdict::Accepted)]);

    // Moving a test runs nothing at all.
    judge.service.change_test(&sol, "sum", ("negative", 2), TestChange::Move(1), "", clock::now()).await.unwrap();
    let third = verified(&judge, &sol).await;
    let report = third.report.as_ref().unwrap();
    assert!(report.verification.hints.iter().any(|hint| hint.contains("9 of 9 runs") && hint.contains("none had to")));
    assert_eq!(third.problem.test_set_id, third.shown.unwrap().test_set_id, "it counts");
    assert_eq!(report.verification.kill_matrix.programs[0].verdicts[2], Some(Verdict::WrongAnswer));

    // By hand all is run again.
    judge.service.verify_again(&sol, "sum", clock::now()).await.unwrap();
    let again = verified(&judge, &sol).await;
    assert!(again.programs.iter().flat_map(|program| &program.runs).all(|run| !run.reused));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_lets_a_wrong_program_through_never_counts() {
    let judge = Judge::start().await;
    assert_eq!(offer(&judge).await, PackageState::Ready);
    let sol = judge.person("sol", Role::Setter).await;
    let before = verified(&judge, &sol).await.problem;
    let (place, now) = (("secret/1", 1), clock::now());
    judge.service.change_test(&sol, "sum", place, TestChange::Delete, "too easy", now).await.unwrap();
    let broken = verified(&judge, &sol).await;
    assert_eq!(broken.shown.as_ref().unwrap().state, VerificationState::Broken);
    assert_eq!(broken.problem, before, "what is in force stays");
    let history = judge.service.problem_history(&sol, "sum").await.unwrap();
    let reason = history.tests[0].refused.clone().unwrap();
    assert!(reason.contains("wrong_answer/twelve.py: no test rejects this wrong program"), "{reason}");
}
