//! `touchstone message`: questions, answers, announcements, and what is answered often.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;

use super::judge_data::{Acting, JudgeData};
use crate::clock;
use crate::domain::ids::{CannedAnswerId, ClarificationId, ContestId};
use crate::service::{Actor, Service, facts};
use crate::store::contest;

/// Read questions, answer them, announce
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchstone message list spring\n  touchstone message answer spring 4 \"Read the second example.\"\n  \
                  touchstone message announce spring \"Lunch is at noon.\""
)]
pub struct MessageArgs {
    #[command(subcommand)]
    command: MessageCommand,
    #[command(flatten)]
    acting: Acting,
    #[command(flatten)]
    judge: JudgeData,
}

#[derive(Debug, clap::Subcommand)]
enum MessageCommand {
    /// List a contest's messages with their answers
    List {
        /// The contest's slug
        contest: String,
    },
    /// Answer a question
    Answer {
        /// The contest's slug
        contest: String,
        /// The question's number
        question: ClarificationId,
        /// The answer
        text: String,
        /// Let all read question and answer
        #[arg(long)]
        to_all: bool,
    },
    /// Tell all
    Announce {
        /// The contest's slug
        contest: String,
        /// What
        text: String,
        /// The problem that it is about
        #[arg(long)]
        problem: Option<String>,
    },
    /// List what is answered often
    Canned,
    /// Keep an answer to be used often
    Keep {
        /// The answer
        text: String,
    },
    /// Let a kept answer go
    Forget {
        /// Its number
        id: CannedAnswerId,
    },
}

pub fn run(args: MessageArgs) -> anyhow::Result<ExitCode> {
    let (json, command, acting) = (args.judge.json, args.command, args.acting);
    args.judge.run(async |service| {
        let actor = acting.actor(service).await?;
        let told = act(service, &actor, command, json).await?;
        std::io::stdout().lock().write_all(told.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn find(service: &Service, slug: &str) -> anyhow::Result<ContestId> {
    let found = contest::by_slug(service.store().read(), slug).await?;
    Ok(found.with_context(|| format!("there is no contest `{slug}`"))?.id)
}

async fn act(service: &Service, actor: &Actor, command: MessageCommand, json: bool) -> anyhow::Result<String> {
    let now = clock::now();
    match command {
        MessageCommand::List { contest } => {
            let mut told = String::new();
            for thread in service.clarifications(Some(actor), find(service, &contest).await?).await? {
                if json {
                    writeln!(told, "{}", facts::thread(&thread))?;
                    continue;
                }
                for (message, indent) in
                    std::iter::once((&thread.first, "")).chain(thread.answers.iter().map(|one| (one, "  ")))
                {
                    let from = message.from_name.as_deref().unwrap_or("judges");
                    writeln!(told, "{indent}{}  {from}: {}", message.id, message.text.replace('\n', " "))?;
                }
            }
            Ok(told)
        }
        MessageCommand::Answer { contest, question, text, to_all } => {
            let id = service.answer(actor, find(service, &contest).await?, question, &text, to_all, now).await?;
            Ok(format!("message {id}: sent\n"))
        }
        MessageCommand::Announce { contest, text, problem } => {
            let contest = find(service, &contest).await?;
            let id = service.announce(actor, contest, problem.as_deref(), &text, now).await?;
            Ok(format!("message {id}: sent\n"))
        }
        MessageCommand::Canned => {
            let all = service.canned_answers(actor).await?;
            let mut told = String::new();
            for one in &all {
                writeln!(told, "{:>4}  {}", one.id, one.text.replace('\n', " "))?;
            }
            Ok(told)
        }
        MessageCommand::Keep { text } => {
            service.keep_canned_answer(actor, &text, now).await?;
            Ok("kept\n".to_owned())
        }
        MessageCommand::Forget { id } => {
            service.drop_canned_answer(actor, id, now).await?;
            Ok(format!("canned answer {id}: gone\n"))
        }
    }
}
