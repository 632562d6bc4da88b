//! `touchstone rejudge`: judging submissions again from the command line, with the same preview as in the browser.

use std::io::Write as _;
use std::process::ExitCode;

use super::judge_data::JudgeData;
use crate::clock;
use crate::domain::ids::{RejudgingId, SubmissionId};
use crate::domain::language::LanguageId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::service::facts;
use crate::service::rejudge::Selection;
use crate::service::rejudge_preview::Preview;
use crate::store::contest::Scoring;
use crate::store::rejudging::{Rejudging, RejudgingState};
use crate::web::view::board_row::points;
use crate::web::view::format::moment;

/// Judge submissions again, look at what would change, then apply or drop it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchstone rejudge start --problem curling --outdated\n  touchstone rejudge show 3\n  \
                  touchstone rejudge apply 3\n\nThe server must run: its workers do the judging."
)]
pub struct RejudgeArgs {
    #[command(subcommand)]
    command: RejudgeCommand,
    #[command(flatten)]
    judge: JudgeData,
}

#[derive(Debug, clap::Subcommand)]
enum RejudgeCommand {
    /// Queue new judgements of the submissions that fit everything given; none of them counts yet
    Start(StartArgs),
    /// List rejudgings, newest first
    List,
    /// Show how far one is and what it would change; exit code 1 while it is not judged to the end
    Show {
        /// Its number
        id: RejudgingId,
    },
    /// Let it count
    Apply {
        /// Its number
        id: RejudgingId,
    },
    /// Give it up
    Drop {
        /// Its number
        id: RejudgingId,
    },
    /// Take an applied one back (apply it again to undo this)
    Undo {
        /// Its number
        id: RejudgingId,
    },
}

#[derive(Debug, clap::Args)]
struct StartArgs {
    /// This submission
    #[arg(long, value_name = "N")]
    submission: Option<SubmissionId>,
    /// Of this contest
    #[arg(long, value_name = "SLUG")]
    contest: Option<String>,
    /// For this problem
    #[arg(long, value_name = "SLUG")]
    problem: Option<String>,
    /// In this language
    #[arg(long, value_name = "ID")]
    language: Option<LanguageId>,
    /// With this verdict, e.g. JE
    #[arg(long)]
    verdict: Option<Verdict>,
    /// Handed in at or after, UTC, e.g. 2026-03-01T12:00
    #[arg(long, value_parser = at)]
    from: Option<EpochMs>,
    /// Handed in before, UTC
    #[arg(long, value_parser = at)]
    until: Option<EpochMs>,
    /// Only those judged with other tests than the ones in force
    #[arg(long)]
    outdated: bool,
    /// Why, for the list and the log
    #[arg(long, default_value = "")]
    reason: String,
}

fn at(text: &str) -> Result<EpochMs, String> {
    moment(text).ok_or_else(|| format!("`{text}` is no moment; write it as 2026-03-01 or 2026-03-01T12:00, in UTC"))
}

pub fn run(args: RejudgeArgs) -> anyhow::Result<ExitCode> {
    let json = args.judge.json;
    let command = args.command;
    args.judge.run(async |service| {
        let now = clock::now();
        let mut out = std::io::stdout().lock();
        match command {
            RejudgeCommand::Start(start) => {
                let reason = start.reason.clone();
                let begun = service.begin_rejudging(None, &start.into(), &reason, now).await?;
                if json {
                    writeln!(out, "{}", serde_json::to_string(&begun)?)?;
                } else {
                    writeln!(out, "rejudging {}: {} judgements queued", begun.id, begun.judgements)?;
                    if begun.left_out > 0 {
                        writeln!(out, "left out, being judged already: {}", begun.left_out)?;
                    }
                }
            }
            RejudgeCommand::List => {
                for one in service.rejudgings(None, None, 1_000).await? {
                    if json {
                        writeln!(out, "{}", serde_json::to_string(&one)?)?;
                    } else {
                        writeln!(
                            out,
                            "{:>5}  {:<8}  {:>6} of {:<6} {}",
                            one.id,
                            state(&one),
                            one.done,
                            one.total,
                            one.scope
                        )?;
                    }
                }
            }
            RejudgeCommand::Show { id } => {
                let preview = service.rejudging(None, id).await?;
                if json {
                    writeln!(out, "{}", facts::preview(&preview))?;
                } else {
                    show(&mut out, &preview)?;
                }
                let one = &preview.rejudging;
                let open = one.state == RejudgingState::Open && one.done < one.total;
                return Ok(if open { ExitCode::FAILURE } else { ExitCode::SUCCESS });
            }
            RejudgeCommand::Apply { id } => {
                service.apply_rejudging(None, id, None, now).await?;
                writeln!(out, "rejudging {id}: applied")?;
            }
            RejudgeCommand::Drop { id } => {
                service.drop_rejudging(None, id, now).await?;
                writeln!(out, "rejudging {id}: dropped")?;
            }
            RejudgeCommand::Undo { id } => {
                service.undo_rejudging(None, id, now).await?;
                writeln!(out, "rejudging {id}: undone")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

impl From<StartArgs> for Selection {
    fn from(args: StartArgs) -> Self {
        Self {
            submission: args.submission,
            contest: args.contest,
            problem: args.problem,
            language: args.language,
            verdict: args.verdict,
            from: args.from,
            until: args.until,
            outdated: args.outdated,
        }
    }
}

const fn state(one: &Rejudging) -> &'static str {
    if one.undone.is_some() { "undone" } else { one.state.as_str() }
}

fn code(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("-", Verdict::code)
}

fn show(out: &mut impl std::io::Write, preview: &Preview) -> std::io::Result<()> {
    let one = &preview.rejudging;
    writeln!(out, "rejudging {}: {}, {} of {} judged", one.id, state(one), one.done, one.total)?;
    writeln!(out, "verdicts that change: {}, as before: {}", preview.changes.len(), preview.same)?;
    if preview.kept.failed > 0 {
        writeln!(out, "the judge failed on {}: their old verdicts stay", preview.kept.failed)?;
    }
    if preview.kept.overtaken > 0 {
        writeln!(out, "judged anew meanwhile: {}", preview.kept.overtaken)?;
    }
    for pair in &preview.changes {
        writeln!(out, "  submission {}: {} -> {}", pair.submission_id, code(pair.before), code(pair.after))?;
    }
    for board in preview.boards.iter() {
        writeln!(out, "scoreboard of {}:", board.contest.slug)?;
        for moved in &board.moved {
            let rank = |standing: Option<crate::ranking::difference::Standing>| {
                standing.map_or_else(
                    || "-".to_owned(),
                    |one| match board.contest.scoring {
                        Scoring::PassFail => format!("{} ({}, {})", one.rank, one.num_solved, one.total_time),
                        Scoring::Score => format!("{} ({})", one.rank, points(one.points)),
                    },
                )
            };
            writeln!(out, "  {}: {} -> {}", moved.name, rank(moved.before), rank(moved.after))?;
        }
        for award in &board.awards {
            let (won, lost) = (award.won.join(", "), award.lost.join(", "));
            writeln!(out, "  {}: now [{won}], no longer [{lost}]", award.citation)?;
        }
    }
    Ok(())
}
