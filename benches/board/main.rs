//! How long a board takes: 1,000 teams, 13 problems, 60,000 submissions, all of them anew and one more. Beside it, in the
//! same run, what can't be done without: sorting the submissions and the rows. Then the same board on a server with many
//! visitors (`server.rs`). Prints figures and whether the goals are met; exit code 1 if not.
//!
//!     scripts/bench board [ranking|page|viewers|minute]...     all of them, if none is named
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod server;

use std::hint::black_box;
use std::time::{Duration, Instant};

use touchstone::domain::ids::{ProblemId, SubmissionId, TeamId};
use touchstone::domain::time::EpochMs;
use touchstone::domain::verdict::Verdict;
use touchstone::ranking::icpc::{Attempt, Board, PointsFrom, Rules, Scoring, View};

const TEAMS: i64 = 1_000;
const PROBLEMS: i64 = 13;
const SUBMISSIONS: i64 = 60_000;
const RUNS: usize = 15;
const REPLAY_GOAL: Duration = Duration::from_millis(100);
const ONE_MORE_GOAL: Duration = Duration::from_millis(1);

fn attempts() -> Vec<Attempt> {
    let mut state = 1_u64;
    let mut below = |bound: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 34).unwrap_or_default() % bound
    };
    let verdicts =
        [Verdict::Accepted, Verdict::WrongAnswer, Verdict::WrongAnswer, Verdict::TimeLimit, Verdict::CompileError];
    (1..=SUBMISSIONS)
        .map(|id| Attempt {
            submission: SubmissionId(id),
            team: TeamId(1 + below(TEAMS)),
            problem: ProblemId(1 + below(PROBLEMS)),
            submitted: EpochMs(id * 300 + below(300)),
            verdict: usize::try_from(below(5)).ok().and_then(|index| verdicts.get(index).copied()),
            points: 0,
            groups: Vec::new(),
        })
        .collect()
}

fn board(attempts: &[Attempt]) -> Board {
    let rules = Rules {
        start: EpochMs(0),
        duration_ms: Some(5 * 3_600_000),
        frozen_from: Some(EpochMs(4 * 3_600_000)),
        penalty_minutes: 20,
        scoring: Scoring::PassFail,
        points_from: PointsFrom::Submissions,
    };
    let mut board = Board::new(rules, (1..=PROBLEMS).map(ProblemId).collect());
    for team in 1..=TEAMS {
        board.name_team(TeamId(team), &format!("team {team:04}"));
    }
    for attempt in attempts {
        board.apply(attempt.clone());
    }
    board
}

/// The median of some runs.
fn median(mut one: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            one();
            begin.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

/// What was promised, and whether it holds.
#[derive(Default)]
pub struct Goal {
    missed: bool,
}

impl Goal {
    fn check(&mut self, what: &str, met: bool, figure: impl std::fmt::Display) {
        println!("{} {what}: {figure}", if met { "met   " } else { "MISSED" });
        self.missed |= !met;
    }
}

fn ranking(goal: &mut Goal) {
    let all = attempts();
    let sorting = median(|| {
        let mut copy = black_box(&all).clone();
        copy.sort_unstable_by_key(|attempt| (attempt.team, attempt.problem, attempt.submitted));
        black_box(copy);
    });
    let replay = median(|| {
        let board = board(black_box(&all));
        black_box((board.scoreboard(View::Public), board.scoreboard(View::Judges)));
    });
    let mut live = board(&all);
    let rows = live.scoreboard(View::Judges).rows;
    let sorting_rows = median(|| {
        let mut copy = black_box(&rows).clone();
        copy.reverse();
        copy.sort_by(|a, b| (b.num_solved, a.total_time, &a.name).cmp(&(a.num_solved, b.total_time, &b.name)));
        black_box(copy);
    });
    let mut turn = 0;
    let one_more = median(|| {
        turn += 1;
        let attempt = Attempt { verdict: Some(Verdict::Accepted), ..all[(turn * 997) % all.len()].clone() };
        live.apply(attempt);
        black_box((live.scoreboard(View::Public), live.scoreboard(View::Judges)));
    });
    let ratio = |time: Duration, floor: Duration| time.as_secs_f64() / floor.as_secs_f64();
    println!("sorting 60,000 submissions {sorting:.2?}, copying and sorting 1,000 rows {sorting_rows:.2?}");
    let text = format!("{replay:.2?} ({:.1} x sorting), goal {REPLAY_GOAL:?}", ratio(replay, sorting));
    goal.check("full replay, two boards", replay <= REPLAY_GOAL, text);
    let text = format!("{one_more:.2?} ({:.1} x rows), goal {ONE_MORE_GOAL:?}", ratio(one_more, sorting_rows));
    goal.check("one more judgement, two boards", one_more <= ONE_MORE_GOAL, text);
}

fn main() -> anyhow::Result<std::process::ExitCode> {
    // Cargo adds a flag of its own.
    let named: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    let mut goal = Goal::default();
    if wanted("ranking") {
        ranking(&mut goal);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        if wanted("page") {
            server::page(&mut goal).await?;
        }
        if wanted("viewers") {
            for teams in [100, 1_000] {
                server::viewers(&mut goal, teams).await?;
            }
        }
        if wanted("minute") {
            server::first_minute(&mut goal).await?;
        }
        anyhow::Ok(())
    })?;
    Ok(std::process::ExitCode::from(u8::from(goal.missed)))
}
