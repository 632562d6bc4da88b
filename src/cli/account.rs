//! `touchstone account`: what an admin does with accounts, from the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use super::judge_data::JudgeData;
use crate::clock;
use crate::domain::account::Role;
use crate::domain::ids::InvitationId;
use crate::roster::{Fault, RosterFile};
use crate::service::Service;
use crate::service::registration::Registration;
use crate::service::roster_import::{Credential, ImportError};
use crate::store::api_token::Scopes;
use crate::store::audit::ActFilter;
use crate::store::people::PeopleFilter;

/// Work with accounts, teams, registration and the log
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchstone account import teams.tsv accounts.tsv --dry-run\n  touchstone account role ann judge\n  \
                  touchstone account registration invitation\n  touchstone account invite --places 30 --days 14"
)]
pub struct AccountArgs {
    #[command(subcommand)]
    command: AccountCommand,
    #[command(flatten)]
    judge: JudgeData,
}

#[derive(Debug, clap::Subcommand)]
enum AccountCommand {
    /// List accounts by name
    List {
        /// Only names that begin so
        #[arg(default_value = "")]
        prefix: String,
        /// Only this role
        #[arg(long)]
        role: Option<Role>,
        /// Only those that can't log in
        #[arg(long)]
        disabled: bool,
    },
    /// Give an account another role: contestant, setter, judge or admin
    Role {
        /// Login name
        name: String,
        /// The new role
        role: Role,
    },
    /// Let nobody log in with an account; its sessions end
    Disable {
        /// Login name
        name: String,
    },
    /// Let an account log in again
    Enable {
        /// Login name
        name: String,
    },
    /// End all sessions of an account
    SignOut {
        /// Login name
        name: String,
    },
    /// Take the second step of logging in off an account whose owner lost app and recovery codes; its sessions end
    ResetSecondStep {
        /// Login name
        name: String,
    },
    /// Show or set whether staff must have a second step of logging in
    SecondStep {
        /// `must` or `choice`
        kind: Option<SecondStepKind>,
    },
    /// Print the path of a one-time link that sets a new password
    PasswordLink {
        /// Login name
        name: String,
    },
    /// Make accounts, teams, groups and organizations from files; the new logins are printed as CSV
    ///
    /// A CSV with a header line (username, name, role, password, team, organization, group); accounts.tsv, teams.tsv,
    /// groups.tsv, institutions.tsv; accounts.json, teams.json, groups.json, organizations.json. With any fault nothing
    /// is made, and all faults are said.
    Import {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Only say what would be made
        #[arg(long)]
        dry_run: bool,
    },
    /// Show or set who may register: open, invitation or closed
    Registration {
        /// The new setting
        kind: Option<Registration>,
    },
    /// Make an invitation and print the path of its link
    Invite {
        /// For how many people
        #[arg(long, default_value_t = 1)]
        places: u32,
        /// For how many days
        #[arg(long, default_value_t = 14)]
        days: u32,
        /// For whom
        #[arg(long, default_value = "")]
        note: String,
    },
    /// List invitations, newest first
    Invitations,
    /// Take an invitation back
    Revoke {
        /// Its number
        id: InvitationId,
    },
    /// Make an API token of an account and print it, once
    Token {
        /// Login name
        name: String,
        /// What it is for
        #[arg(long, default_value = "command line")]
        label: String,
        /// Let it read what its account may read
        #[arg(long)]
        read: bool,
        /// Let it hand in for its account
        #[arg(long)]
        submit: bool,
        /// Let it manage the judge as its account's role allows
        #[arg(long)]
        manage: bool,
    },
    /// Print the log of the staff's acts as JSON lines, newest first
    Log {
        /// Only by this account
        #[arg(long)]
        actor: Option<String>,
        /// Only of this kind, e.g. account.role
        #[arg(long)]
        act: Option<String>,
        /// Only done to exactly this
        #[arg(long)]
        subject: Option<String>,
    },
}

/// Whether staff must have a second step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SecondStepKind {
    /// They must: without it an account may do what a contestant may
    Must,
    /// They may
    Choice,
}

pub fn run(args: AccountArgs) -> anyhow::Result<ExitCode> {
    let json = args.judge.json;
    let command = args.command;
    args.judge.run(async |service| {
        let mut out = std::io::stdout().lock();
        act(service, command, json, &mut out).await
    })
}

async fn act(
    service: &Service,
    command: AccountCommand,
    json: bool,
    out: &mut impl std::io::Write,
) -> anyhow::Result<ExitCode> {
    let now = clock::now();
    match command {
        AccountCommand::List { prefix, role, disabled } => list(service, prefix, role, disabled, json, out).await?,
        AccountCommand::Role { name, role } => {
            service.set_role(None, &name, role, now).await?;
            writeln!(out, "{name}: {role}")?;
        }
        AccountCommand::Disable { name } => {
            service.set_disabled(None, &name, true, now).await?;
            writeln!(out, "{name}: disabled")?;
        }
        AccountCommand::Enable { name } => {
            service.set_disabled(None, &name, false, now).await?;
            writeln!(out, "{name}: enabled")?;
        }
        AccountCommand::SignOut { name } => {
            writeln!(out, "{name}: {} sessions ended", service.sign_out(None, &name, now).await?)?;
        }
        AccountCommand::ResetSecondStep { name } => {
            let was_on = service.reset_second_step(None, &name, now).await?;
            writeln!(out, "{name}: {}", if was_on { "the second step is off" } else { "there was no second step" })?;
        }
        AccountCommand::SecondStep { kind } => {
            if let Some(kind) = kind {
                service.require_second_step(None, kind == SecondStepKind::Must, now).await?;
            }
            let word = if service.second_step_is_must().await? { "must" } else { "choice" };
            writeln!(out, "second step for staff: {word}")?;
        }
        AccountCommand::PasswordLink { name } => {
            writeln!(out, "/password/{}", service.password_link(None, &name, now).await?)?;
        }
        AccountCommand::Import { files, dry_run } => return import(service, &files, dry_run, json, out).await,
        AccountCommand::Registration { kind: Some(kind) } => {
            service.set_registration(None, None, kind, now).await?;
            writeln!(out, "registration: {}", kind.as_str())?;
        }
        AccountCommand::Registration { kind: None } => {
            writeln!(out, "registration: {}", service.registration().await?.as_str())?;
        }
        AccountCommand::Invite { places, days, note } => {
            let (_, token) = service.invite(None, &note, places, days, now).await?;
            writeln!(out, "/register?invitation={token}")?;
        }
        AccountCommand::Invitations => {
            for one in service.invitations(None, 1_000).await? {
                if json {
                    writeln!(out, "{}", serde_json::to_string(&one)?)?;
                } else {
                    let end = if one.revoked.is_some() { "  taken back" } else { "" };
                    writeln!(out, "{:>4}  {:>5} of {:<5}  {}{end}", one.id, one.used, one.places, one.note)?;
                }
            }
        }
        AccountCommand::Revoke { id } => {
            service.revoke_invitation(None, id, now).await?;
            writeln!(out, "invitation {id}: taken back")?;
        }
        AccountCommand::Token { name, label, read, submit, manage } => {
            let actor = service.stand_in(Some(&name)).await?;
            let scopes = Scopes { read, submit, manage };
            writeln!(out, "{}", service.create_token(&actor, &label, scopes, now).await?)?;
        }
        AccountCommand::Log { actor, act, subject } => {
            let filter = ActFilter { actor, act, subject, ..ActFilter::default() };
            let mut before = None;
            loop {
                let acts = service.acts(None, &filter, before, 1_000).await?;
                let Some(last) = acts.last() else { break };
                before = Some(last.id);
                for act in &acts {
                    writeln!(out, "{}", serde_json::to_string(act)?)?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(
    service: &Service,
    prefix: String,
    role: Option<Role>,
    disabled: bool,
    json: bool,
    out: &mut impl std::io::Write,
) -> anyhow::Result<()> {
    let mut filter = PeopleFilter { prefix: Some(prefix), role, disabled, after: None };
    loop {
        let people = service.people(None, &filter, 1_000).await?;
        let Some(last) = people.last() else { return Ok(()) };
        filter.after = Some(last.name.clone());
        for one in &people {
            if json {
                writeln!(out, "{}", serde_json::to_string(one)?)?;
            } else {
                let end = if one.disabled { "  disabled" } else { "" };
                let team = one.team.as_deref().unwrap_or_default();
                writeln!(out, "{:<24} {:<10} {team}{end}", one.name, one.role)?;
            }
        }
    }
}

async fn import(
    service: &Service,
    paths: &[PathBuf],
    dry_run: bool,
    json: bool,
    out: &mut impl std::io::Write,
) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
        files.push(RosterFile { name: path.display().to_string(), text });
    }
    if dry_run {
        let plan = service.plan_import(None, &files).await?;
        if !plan.faults.is_empty() {
            return Ok(complain(&plan.faults));
        }
        if json {
            let plan = serde_json::json!({
                "accounts": plan.accounts, "there": plan.there, "teams": plan.teams, "groups": plan.groups,
                "organizations": plan.organizations,
            });
            writeln!(out, "{plan}")?;
            return Ok(ExitCode::SUCCESS);
        }
        writeln!(out, "accounts: {} new, {} as they are", plan.accounts.len(), plan.there.len())?;
        for (name, counts) in [("teams", plan.teams), ("groups", plan.groups), ("organizations", plan.organizations)] {
            writeln!(out, "{name}: {} new, {} changed, {} as they are", counts.new, counts.changed, counts.same)?;
        }
        for one in &plan.accounts {
            writeln!(out, "  {} ({}) {}", one.username, one.role, one.team.as_deref().unwrap_or_default())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    match service.import(None, &files, clock::now()).await {
        Ok(credentials) => {
            if !json {
                writeln!(out, "username,password,role,team")?;
            }
            for one in &credentials {
                credential(one, json, out)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(ImportError::Faults(faults)) => Ok(complain(&faults)),
        Err(error) => Err(error.into()),
    }
}

fn credential(one: &Credential, json: bool, out: &mut impl std::io::Write) -> std::io::Result<()> {
    let (password, team) = (one.password.expose(), one.team.as_deref().unwrap_or_default());
    if json {
        let line = serde_json::json!({
            "username": one.username, "password": password, "role": one.role, "team": one.team,
        });
        return writeln!(out, "{line}");
    }
    let quoted = |text: &str| {
        if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    writeln!(out, "{},{},{},{}", one.username, quoted(password), one.role, quoted(team))
}

/// All faults, one a line, on standard error; the answer is no.
#[expect(clippy::print_stderr, reason = "the command line speaks on standard error")]
fn complain(faults: &[Fault]) -> ExitCode {
    for fault in faults {
        match fault.place.line {
            0 => eprintln!("{}: {}", fault.place.file, fault.trouble),
            line => eprintln!("{}:{line}: {}", fault.place.file, fault.trouble),
        }
    }
    eprintln!("touchstone: nothing was made");
    ExitCode::FAILURE
}
