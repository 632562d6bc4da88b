//! Scoreboards in memory, brought up to date from the events since they were last asked for.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::{Actor, Service, visibility};
use crate::domain::contest::Phase;
use crate::domain::ids::{ContestId, EventId, SubmissionId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::ranking::awards::{self, Award};
use crate::ranking::icpc::{Attempt, Board, GroupPoints, PointsFrom, Row, Rules, Scoreboard, Scoring, View};
use crate::ranking::resolver::{self, Step};
use crate::store::contest::{self, Contest, ContestProblem};
use crate::store::contest_team::{ContestTeam, Group};
use crate::store::event::EventKind;
use crate::store::submission::Fact;
use crate::store::{GroupResults, StoreError, contest_team, event, submission};

/// More changes than this since the last look, and the board is made anew.
const CATCH_UP: u32 = 5_000;
/// For so long a board is shown without asking whether another process wrote; what this one writes is seen at once.
const TRUSTED: Duration = Duration::from_millis(250);

/// What an accepted program is worth in a contest of points where its problem gives none, thousandths.
const ALL_POINTS: i64 = 100_000;

/// A contest's board as one audience sees it.
#[derive(Debug, Clone)]
pub struct BoardPage {
    /// The contest.
    pub contest: Contest,
    /// Its problems, in the order of each row's cells; empty for contestants before the start.
    pub problems: Vec<ContestProblem>,
    /// The rows.
    pub scoreboard: Arc<Scoreboard>,
    /// The contest's teams, hidden ones too: only those with a row are shown.
    pub teams: Arc<Vec<ContestTeam>>,
    /// Their groups.
    pub groups: Arc<Vec<Group>>,
    /// What is ranked by.
    pub scoring: Scoring,
    /// Whether some of it is shown as pending because of the freeze.
    pub frozen: bool,
    /// It holds everything up to this event. Equal `version` and view: the same page.
    pub version: EventId,
    /// What it shows; with `version` the key to a rendered copy.
    pub view: View,
}

/// A board as a whole audience shares it, and what one viewer knows beyond it.
#[derive(Debug, Clone)]
pub struct SharedBoard {
    /// The page, the same for each of the audience.
    pub page: BoardPage,
    /// The viewer's own team's row with what the freeze keeps from the others, if there is any such thing.
    pub own: Option<Row>,
}

/// A frozen board that opens.
#[derive(Debug, Clone)]
pub struct Resolving {
    /// The contest with its problems and teams.
    pub page: BoardPage,
    /// The board to begin from.
    pub frozen: Scoreboard,
    /// The board at the end.
    pub open: Scoreboard,
    /// What happens between them.
    pub steps: Vec<Step>,
    /// What is won at the end.
    pub awards: Vec<Award>,
}

fn awards_of(page: &BoardPage, board: &Scoreboard) -> Vec<Award> {
    let problem = |id: &crate::domain::ids::ProblemId| {
        let place = page.problems.iter().find(|place| place.problem_id == *id);
        place.map(|place| (place.slug.to_string(), place.label.clone())).unwrap_or_default()
    };
    let problems: Vec<(String, String)> = board.problems.iter().map(problem).collect();
    awards::awards(board, page.scoring, &problems, &award_groups(&page.teams, &page.groups))
}

/// The groups that rank apart.
fn award_groups(teams: &[ContestTeam], groups: &[Group]) -> Vec<awards::Group> {
    groups
        .iter()
        .filter(|group| !group.hidden)
        .map(|group| awards::Group {
            id: group.external_id.clone(),
            name: group.name.clone(),
            teams: teams
                .iter()
                .filter(|team| team.groups.split(' ').any(|id| id == group.external_id))
                .map(|team| team.id)
                .collect(),
        })
        .collect()
}

/// A contest's board without the freeze.
#[derive(Debug, Clone)]
pub(super) struct JudgesBoard {
    pub contest: Contest,
    pub problems: Vec<ContestProblem>,
    pub scoreboard: Arc<Scoreboard>,
    pub scoring: Scoring,
    /// The last event that changed it.
    pub version: EventId,
    /// It holds everything up to here.
    pub read_to: EventId,
    groups: Vec<awards::Group>,
}

impl JudgesBoard {
    /// What a board of this contest would win, if it was the last one. First solutions are on the board itself.
    pub fn awards(&self, board: &Scoreboard) -> Vec<Award> {
        awards::awards(board, self.scoring, &[], &self.groups)
    }
}

/// The boards that were asked for.
#[derive(Debug, Default)]
pub(super) struct Boards {
    by_contest: Mutex<HashMap<ContestId, Cached>>,
}

#[derive(Debug)]
struct Cached {
    /// Everything up to here was read.
    read_to: EventId,
    /// When that was all there was.
    looked: Instant,
    /// The last event that changed anything.
    version: EventId,
    contest: Contest,
    problems: Vec<ContestProblem>,
    teams: Arc<Vec<ContestTeam>>,
    groups: Arc<Vec<Group>>,
    board: Board,
    public: Arc<Scoreboard>,
    judges: Arc<Scoreboard>,
}

impl Service {
    /// The board as the viewer may see it: staff without the freeze, a team its own row without it, others (and `None`)
    /// the public one. `None` when there is no such contest.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn board(
        &self,
        contest_slug: &str,
        viewer: Option<&Actor>,
        now: EpochMs,
    ) -> Result<Option<BoardPage>, StoreError> {
        let Some(id) = self.board_id(contest_slug).await? else { return Ok(None) };
        Ok(Some(self.with_board(id, |cached| cached.page(viewer, now)).await?))
    }

    /// The same for many viewers at once: one page for all of an audience. A team that knows more than the public gets
    /// its own row beside it, instead of a board that is made, rendered and sent for it alone.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn shared_board(
        &self,
        contest_slug: &str,
        viewer: Option<&Actor>,
        now: EpochMs,
    ) -> Result<Option<SharedBoard>, StoreError> {
        let Some(id) = self.board_id(contest_slug).await? else { return Ok(None) };
        Ok(Some(self.with_board(id, |cached| cached.shared(viewer, now)).await?))
    }

    async fn board_id(&self, contest_slug: &str) -> Result<Option<ContestId>, StoreError> {
        let known = self.boards.by_contest.lock().await.values().find_map(|cached| cached.id_if_named(contest_slug));
        match known {
            Some(id) => Ok(Some(id)),
            None => Ok(contest::by_slug(self.store.read(), contest_slug).await?.map(|contest| contest.id)),
        }
    }

    /// The judges' board of a contest, without the freeze.
    pub(super) async fn judges_board(&self, contest: ContestId) -> Result<JudgesBoard, StoreError> {
        self.with_board(contest, |cached| JudgesBoard {
            contest: cached.contest.clone(),
            problems: cached.problems.clone(),
            scoreboard: Arc::clone(&cached.judges),
            scoring: scoring(&cached.contest),
            version: cached.version,
            read_to: cached.read_to,
            groups: award_groups(&cached.teams, &cached.groups),
        })
        .await
    }

    /// The judges' board as it would be if these were known of the submissions. The board itself stays as it is.
    pub(super) async fn board_with(&self, contest: ContestId, attempts: &[Attempt]) -> Result<Scoreboard, StoreError> {
        self.with_board(contest, |cached| cached.board.scoreboard_with(attempts, View::Judges)).await
    }

    /// The public's page of a board, and something drawn from the board itself.
    pub(super) async fn board_and<T>(
        &self,
        contest: ContestId,
        now: EpochMs,
        draw: impl FnOnce(&Board) -> T,
    ) -> Result<(BoardPage, T), StoreError> {
        self.with_board(contest, |cached| (cached.page(None, now), draw(&cached.board))).await
    }

    async fn with_board<T>(&self, contest: ContestId, read: impl FnOnce(&mut Cached) -> T) -> Result<T, StoreError> {
        let mut boards = self.boards.by_contest.lock().await;
        let mut cached = match boards.remove(&contest) {
            Some(cached) => self.caught_up(cached).await?,
            None => self.made_anew(contest).await?,
        };
        let result = read(&mut cached);
        boards.insert(contest, cached);
        Ok(result)
    }

    /// The steps that open a contest's frozen board, with the board to begin from; for judges, and for all once it is
    /// thawed. `None` when there is no such contest or the viewer may not know.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn resolver(
        &self,
        contest_slug: &str,
        viewer: Option<&Actor>,
        now: EpochMs,
    ) -> Result<Option<Resolving>, StoreError> {
        let Some(page) = self.board(contest_slug, viewer, now).await? else { return Ok(None) };
        let over = page.contest.times().phase(now) == Phase::Ended;
        if !over || !(visibility::is_judge(viewer) || page.contest.thawed.is_some()) {
            return Ok(None);
        }
        let frozen_from = Contest { thawed: None, ..page.contest.clone() }.frozen_from();
        let boards = self.boards.by_contest.lock().await;
        let Some(cached) = boards.get(&page.contest.id) else { return Ok(None) };
        let frozen = cached.board.frozen_from(frozen_from).scoreboard(View::Public);
        let open = cached.board.scoreboard(View::Judges);
        drop(boards);
        let steps = resolver::steps(&frozen, &open, page.contest.penalty_minutes, page.scoring);
        let awards = awards_of(&page, &open);
        Ok(Some(Resolving { page, frozen, open, steps, awards }))
    }

    /// The awards of a contest, as far as the viewer may know its board: none while it runs or some of it is frozen.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn awards(
        &self,
        contest_slug: &str,
        viewer: Option<&Actor>,
        now: EpochMs,
    ) -> Result<Vec<Award>, StoreError> {
        let Some(page) = self.board(contest_slug, viewer, now).await? else { return Ok(Vec::new()) };
        if page.frozen || page.contest.times().phase(now) != Phase::Ended {
            return Ok(Vec::new());
        }
        let own_only = matches!(page.view, View::Team(_));
        Ok(if own_only { Vec::new() } else { awards_of(&page, &page.scoreboard) })
    }

    async fn caught_up(&self, mut cached: Cached) -> Result<Cached, StoreError> {
        if self.store.last_event() <= cached.read_to && cached.looked.elapsed() < TRUSTED {
            return Ok(cached);
        }
        cached.looked = Instant::now();
        let mut tx = self.store.snapshot().await?;
        let last = event::last(&mut *tx).await?;
        if last == cached.read_to {
            return Ok(cached);
        }
        let events = event::of_contest(&mut *tx, cached.contest.id, cached.read_to, CATCH_UP).await?;
        let renamed = event::has_team_change(&mut *tx, cached.read_to).await?;
        let only_submissions = events
            .iter()
            .all(|event| matches!(event.kind, EventKind::Submission | EventKind::Judgement | EventKind::Run));
        if renamed || !only_submissions || events.len() >= CATCH_UP as usize {
            drop(tx);
            return self.made_anew(cached.contest.id).await;
        }
        // A run changes no board.
        let changed = events.iter().filter(|event| event.kind != EventKind::Run);
        let ids: BTreeSet<SubmissionId> = changed.clone().filter_map(|event| event.submission_id).collect();
        if !ids.is_empty() {
            let ids: Vec<SubmissionId> = ids.into_iter().collect();
            let facts = submission::facts_of(&mut *tx, &ids).await?;
            if facts.iter().any(|fact| !cached.teams.iter().any(|team| team.id == fact.team_id)) {
                // A team that wasn't there before brings its groups.
                drop(tx);
                return self.made_anew(cached.contest.id).await;
            }
            for fact in &facts {
                apply(&mut cached.board, fact);
            }
            cached.version = changed.map(|event| event.id).max().unwrap_or(cached.version);
            cached.draw();
        }
        cached.read_to = last;
        Ok(cached)
    }

    async fn made_anew(&self, id: ContestId) -> Result<Cached, StoreError> {
        let looked = Instant::now();
        let mut tx = self.store.snapshot().await?;
        let last = event::last(&mut *tx).await?;
        let contest = contest::by_id(&mut *tx, id).await?.ok_or(StoreError::RowMissing("contest"))?;
        let problems = contest::problems(&mut *tx, id).await?;
        let rules = Rules {
            start: contest.start,
            duration_ms: contest.duration_ms,
            frozen_from: contest.frozen_from(),
            penalty_minutes: contest.penalty_minutes,
            scoring: scoring(&contest),
            points_from: match contest.points_from {
                contest::PointsFrom::Submissions => PointsFrom::Submissions,
                contest::PointsFrom::Groups => PointsFrom::Groups,
            },
        };
        let teams = contest_team::teams(&mut *tx, id).await?;
        let groups = contest_team::groups(&mut *tx).await?;
        let mut board = Board::new(rules, problems.iter().map(|problem| problem.problem_id).collect());
        // Hidden teams get no name and so no row.
        for team in teams.iter().filter(|team| !team.hidden) {
            board.name_team(team.id, &team.name);
        }
        for fact in submission::facts(&mut *tx, id).await? {
            apply(&mut board, &fact);
        }
        let empty = Arc::new(Scoreboard { problems: Vec::new(), rows: Vec::new() });
        let (public, judges) = (Arc::clone(&empty), empty);
        let (teams, groups) = (Arc::new(teams), Arc::new(groups));
        let mut cached =
            Cached { read_to: last, looked, version: last, contest, problems, teams, groups, board, public, judges };
        cached.draw();
        Ok(cached)
    }
}

fn apply(board: &mut Board, fact: &Fact) {
    board.apply(attempt_of(fact));
}

/// A submission as the ranking takes it.
pub(super) fn attempt_of(fact: &Fact) -> Attempt {
    Attempt {
        submission: fact.submission_id,
        team: fact.team_id,
        problem: fact.problem_id,
        submitted: fact.submitted,
        verdict: fact.verdict,
        points: points_of(fact.score, fact.verdict),
        groups: groups_of(fact.score, fact.groups.as_ref()),
    }
}

/// The groups right below the secret tests, and the samples where they give points: if they add up to the score. Where a
/// problem adds otherwise, a submission's points can't be parted.
pub(super) fn groups_of(score: Option<f64>, groups: Option<&GroupResults>) -> Vec<GroupPoints> {
    let (Some(score), Some(groups)) = (score, groups) else { return Vec::new() };
    let is_part = |name: &str| {
        name == "sample" || name.strip_prefix("secret/").is_some_and(|below| !below.is_empty() && !below.contains('/'))
    };
    let parts: Vec<GroupPoints> = groups
        .0
        .iter()
        .filter(|group| is_part(&group.name))
        .filter_map(|group| Some(GroupPoints { name: group.name.clone(), points: thousandths(group.score?) }))
        .collect();
    let sum: i64 = parts.iter().map(|part| part.points).sum();
    // Each part is rounded by itself.
    let close = i64::try_from(parts.len()).is_ok_and(|count| (sum - thousandths(score)).abs() <= count);
    if close { parts } else { Vec::new() }
}

#[expect(clippy::cast_possible_truncation, reason = "a score is far below 2^63 / 1000, and more is cut off")]
fn thousandths(score: f64) -> i64 {
    (score * 1_000.0).round() as i64
}

/// Thousandths, so that sums are exact.
pub(super) fn points_of(score: Option<f64>, verdict: Option<Verdict>) -> i64 {
    match score {
        Some(score) => thousandths(score),
        None if verdict.is_some_and(Verdict::solved) => ALL_POINTS,
        None => 0,
    }
}

const fn scoring(contest: &Contest) -> Scoring {
    match contest.scoring {
        contest::Scoring::PassFail => Scoring::PassFail,
        contest::Scoring::Score => Scoring::Score,
    }
}

impl Cached {
    fn id_if_named(&self, slug: &str) -> Option<ContestId> {
        (self.contest.slug.as_str() == slug).then_some(self.contest.id)
    }

    fn draw(&mut self) {
        self.public = Arc::new(self.board.scoreboard(View::Public));
        self.judges = match self.contest.frozen_from() {
            Some(_) => Arc::new(self.board.scoreboard(View::Judges)),
            None => Arc::clone(&self.public),
        };
    }

    fn view(&self, viewer: Option<&Actor>) -> View {
        match visibility::own_team(viewer) {
            _ if self.contest.frozen_from().is_none() => View::Public,
            _ if visibility::is_judge(viewer) => View::Judges,
            Some(team) => View::Team(team),
            None => View::Public,
        }
    }

    fn page(&self, viewer: Option<&Actor>, now: EpochMs) -> BoardPage {
        self.page_of(self.view(viewer), visibility::is_judge(viewer), now)
    }

    fn shared(&self, viewer: Option<&Actor>, now: EpochMs) -> SharedBoard {
        let staff = visibility::is_judge(viewer);
        let View::Team(team) = self.view(viewer) else {
            return SharedBoard { page: self.page(viewer, now), own: None };
        };
        let page = self.page_of(View::Public, staff, now);
        let of_team = |board: &Scoreboard| board.rows.iter().find(|row| row.team == team).cloned();
        // Only what is pending for the others may be known to the team.
        let keeps_back = |row: &Row| row.cells.iter().any(|cell| cell.num_pending > 0);
        let shown = of_team(&self.public).filter(keeps_back);
        let own = shown
            .and_then(|shown| of_team(&self.board.scoreboard(View::Team(team))).filter(|own| own.cells != shown.cells));
        SharedBoard { page, own }
    }

    fn page_of(&self, view: View, staff: bool, now: EpochMs) -> BoardPage {
        let frozen_from = self.contest.frozen_from();
        let scoreboard = match view {
            View::Public => Arc::clone(&self.public),
            View::Judges => Arc::clone(&self.judges),
            View::Team(_) => Arc::new(self.board.scoreboard(view)),
        };
        let secret = self.contest.times().phase(now) == Phase::Before && !staff;
        BoardPage {
            contest: self.contest.clone(),
            problems: if secret { Vec::new() } else { self.problems.clone() },
            scoreboard,
            teams: Arc::clone(&self.teams),
            groups: Arc::clone(&self.groups),
            scoring: scoring(&self.contest),
            frozen: !staff && frozen_from.is_some_and(|from| self.contest.times().clock(now) >= from),
            version: self.version,
            view,
        }
    }
}
