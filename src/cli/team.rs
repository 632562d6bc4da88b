//! `touchstone team`: teams of a judge, who hands in for them, and the groups and organizations that they belong to.

use std::io::Write;
use std::process::ExitCode;

use super::judge_data::JudgeData;
use crate::clock;
use crate::service::affiliations::WantedAffiliation;
use crate::service::teams::WantedTeam;
use crate::service::{Service, facts};
use crate::store::affiliation::Kind;
use crate::store::team::TeamFilter;

/// How many are read at once.
const PIECE: u32 = 1_000;

/// Work with teams, groups and organizations
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchstone team list lynx\n  touchstone team create Lynx --label 12 --organization hill\n  touchstone \
                  team edit Lynx --hidden true\n  touchstone team join Lynx ann\n  touchstone team group create Juniors --id juniors"
)]
pub struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
    #[command(flatten)]
    judge: JudgeData,
}

/// What `create` and `edit` share; what isn't named stays as it is. An empty text takes it away.
#[derive(Debug, clap::Args)]
struct Facts {
    /// Name on boards
    #[arg(long)]
    display_name: Option<String>,
    /// What is on its seat
    #[arg(long)]
    label: Option<String>,
    /// Its id in files
    #[arg(long)]
    id: Option<String>,
    /// Its id at the ICPC
    #[arg(long)]
    icpc_id: Option<String>,
    /// Its organization's id
    #[arg(long)]
    organization: Option<String>,
    /// Its groups' ids, with commas
    #[arg(long)]
    groups: Option<String>,
    /// Whether it has no row on boards
    #[arg(long, value_name = "true|false")]
    hidden: Option<bool>,
}

impl Facts {
    fn over(self, old: WantedTeam) -> WantedTeam {
        WantedTeam {
            display_name: self.display_name.unwrap_or(old.display_name),
            label: self.label.unwrap_or(old.label),
            external_id: self.id.unwrap_or(old.external_id),
            icpc_id: self.icpc_id.unwrap_or(old.icpc_id),
            organization: self.organization.unwrap_or(old.organization),
            groups: self.groups.map_or(old.groups, |ids| ids.split(',').map(str::to_owned).collect()),
            hidden: self.hidden.unwrap_or(old.hidden),
            name: old.name,
        }
    }
}

#[derive(Debug, clap::Subcommand)]
enum TeamCommand {
    /// List teams by name
    List {
        /// Only with this in a name, the label or the id
        #[arg(default_value = "")]
        contains: String,
        /// Only of the group with this id
        #[arg(long)]
        group: Option<String>,
        /// Only of the organization with this id
        #[arg(long)]
        organization: Option<String>,
        /// Only those without a row on boards
        #[arg(long)]
        hidden: bool,
    },
    /// Show a team and who hands in for it
    Show {
        /// Its name
        team: String,
    },
    /// Make a team without members
    Create {
        /// Its name
        team: String,
        #[command(flatten)]
        facts: Facts,
    },
    /// Change a team; what isn't named stays as it is
    Edit {
        /// Its name
        team: String,
        /// Another name
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        facts: Facts,
    },
    /// Let an account hand in for a team, and for no other
    Join {
        /// The team's name
        team: String,
        /// Login name
        account: String,
    },
    /// Let an account of a team hand in for nobody
    Leave {
        /// The team's name
        team: String,
        /// Login name
        account: String,
    },
    /// Let none of a team's contestants log in; their sessions end
    Disable {
        /// The team's name
        team: String,
    },
    /// Let a team's contestants log in again
    Enable {
        /// The team's name
        team: String,
    },
    /// Groups: what ranks apart
    #[command(subcommand)]
    Group(GroupCommand),
    /// Organizations: universities, schools, companies
    #[command(subcommand)]
    Organization(OrganizationCommand),
}

#[derive(Debug, clap::Subcommand)]
enum GroupCommand {
    /// List groups by name
    List {
        /// Only with this in the name or the id
        #[arg(default_value = "")]
        contains: String,
    },
    /// Make a group
    Create {
        /// Its name
        name: String,
        /// Its id; left out, a free number is taken
        #[arg(long, default_value = "")]
        id: String,
        #[command(flatten)]
        facts: GroupFacts,
    },
    /// Change a group; what isn't named stays as it is
    Edit {
        /// Its id
        id: String,
        /// Another name
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        facts: GroupFacts,
    },
    /// Delete a group that no team belongs to
    Delete {
        /// Its id
        id: String,
    },
}

#[derive(Debug, clap::Args)]
struct GroupFacts {
    /// Its id at the ICPC
    #[arg(long)]
    icpc_id: Option<String>,
    /// Whether its teams have no row on boards
    #[arg(long, value_name = "true|false")]
    hidden: Option<bool>,
}

#[derive(Debug, clap::Subcommand)]
enum OrganizationCommand {
    /// List organizations by name
    List {
        /// Only with this in a name or the id
        #[arg(default_value = "")]
        contains: String,
    },
    /// Make an organization
    Create {
        /// Its name
        name: String,
        /// Its id; left out, a free number is taken
        #[arg(long, default_value = "")]
        id: String,
        #[command(flatten)]
        facts: OrganizationFacts,
    },
    /// Change an organization; what isn't named stays as it is
    Edit {
        /// Its id
        id: String,
        /// Another name
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        facts: OrganizationFacts,
    },
    /// Delete an organization that no team belongs to
    Delete {
        /// Its id
        id: String,
    },
}

#[derive(Debug, clap::Args)]
struct OrganizationFacts {
    /// Its id at the ICPC
    #[arg(long)]
    icpc_id: Option<String>,
    /// Its whole name
    #[arg(long)]
    formal_name: Option<String>,
    /// Its country: three letters of ISO 3166-1
    #[arg(long)]
    country: Option<String>,
}

impl GroupFacts {
    fn over(self, name: Option<String>, old: WantedAffiliation) -> WantedAffiliation {
        WantedAffiliation {
            name: name.unwrap_or(old.name),
            icpc_id: self.icpc_id.unwrap_or(old.icpc_id),
            hidden: self.hidden.unwrap_or(old.hidden),
            ..WantedAffiliation::default()
        }
    }
}

impl OrganizationFacts {
    fn over(self, name: Option<String>, old: WantedAffiliation) -> WantedAffiliation {
        WantedAffiliation {
            name: name.unwrap_or(old.name),
            icpc_id: self.icpc_id.unwrap_or(old.icpc_id),
            formal_name: self.formal_name.unwrap_or(old.formal_name),
            country: self.country.unwrap_or(old.country),
            ..WantedAffiliation::default()
        }
    }
}

pub fn run(args: TeamArgs) -> anyhow::Result<ExitCode> {
    let (json, command) = (args.judge.json, args.command);
    args.judge.run(async |service| {
        let mut out = std::io::stdout().lock();
        act(service, command, json, &mut out).await?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn act(service: &Service, command: TeamCommand, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let now = clock::now();
    match command {
        TeamCommand::List { contains, group, organization, hidden } => {
            let filter = TeamFilter { contains: Some(contains), group, organization, hidden, after: None };
            list(service, filter, json, out).await?;
        }
        TeamCommand::Show { team } => show(service, &team, json, out).await?,
        TeamCommand::Create { team, facts } => {
            let wanted = facts.over(WantedTeam { name: team.clone(), ..WantedTeam::default() });
            service.create_team(None, &wanted, now).await?;
            writeln!(out, "{team}: made")?;
        }
        TeamCommand::Edit { team, name, facts } => {
            let id = service.team_named(&team).await?;
            let old = WantedTeam::from(&service.team(None, id).await?.0);
            let wanted = facts.over(WantedTeam { name: name.unwrap_or_else(|| old.name.clone()), ..old });
            service.edit_team(None, id, None, &wanted, now).await?;
            writeln!(out, "{}: changed", wanted.name)?;
        }
        TeamCommand::Join { team, account } => {
            service.join_team(None, service.team_named(&team).await?, &account, now).await?;
            writeln!(out, "{account}: hands in for {team}")?;
        }
        TeamCommand::Leave { team, account } => {
            service.leave_team(None, service.team_named(&team).await?, &account, now).await?;
            writeln!(out, "{account}: hands in for nobody")?;
        }
        TeamCommand::Disable { team } => {
            service.disable_team(None, service.team_named(&team).await?, true, now).await?;
            writeln!(out, "{team}: disabled")?;
        }
        TeamCommand::Enable { team } => {
            service.disable_team(None, service.team_named(&team).await?, false, now).await?;
            writeln!(out, "{team}: enabled")?;
        }
        TeamCommand::Group(command) => match command {
            GroupCommand::List { contains } => affiliations(service, Kind::Group, &contains, json, out).await?,
            GroupCommand::Create { name, id, facts } => {
                create(service, Kind::Group, &id, facts.over(Some(name), WantedAffiliation::default()), out).await?;
            }
            GroupCommand::Edit { id, name, facts } => {
                let old = WantedAffiliation::from(&service.affiliation(None, Kind::Group, &id).await?);
                edit(service, Kind::Group, &id, facts.over(name, old), out).await?;
            }
            GroupCommand::Delete { id } => delete(service, Kind::Group, &id, out).await?,
        },
        TeamCommand::Organization(command) => match command {
            OrganizationCommand::List { contains } => {
                affiliations(service, Kind::Organization, &contains, json, out).await?;
            }
            OrganizationCommand::Create { name, id, facts } => {
                let wanted = facts.over(Some(name), WantedAffiliation::default());
                create(service, Kind::Organization, &id, wanted, out).await?;
            }
            OrganizationCommand::Edit { id, name, facts } => {
                let old = WantedAffiliation::from(&service.affiliation(None, Kind::Organization, &id).await?);
                edit(service, Kind::Organization, &id, facts.over(name, old), out).await?;
            }
            OrganizationCommand::Delete { id } => delete(service, Kind::Organization, &id, out).await?,
        },
    }
    Ok(())
}

async fn list(service: &Service, mut filter: TeamFilter, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    loop {
        let teams = service.teams(None, &filter, PIECE).await?;
        let Some(last) = teams.last() else { return Ok(()) };
        filter.after = Some(last.name.clone());
        for team in &teams {
            if json {
                writeln!(out, "{}", facts::team(team))?;
            } else {
                let organization = team.organization_name.as_deref().unwrap_or_default();
                let (groups, end) = (team.group_names.0.join(", "), if team.hidden { "  hidden" } else { "" });
                let label = team.label.as_deref().unwrap_or_default();
                writeln!(out, "{:<28} {label:<8} {:>2}  {organization}  {groups}{end}", team.name, team.members)?;
            }
        }
    }
}

async fn show(service: &Service, name: &str, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let (team, members) = service.team(None, service.team_named(name).await?).await?;
    if json {
        let mut told = facts::team(&team);
        told["members"] = serde_json::json!(members);
        writeln!(out, "{told}")?;
        return Ok(());
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    for (key, value) in [
        ("name", team.name.clone()),
        ("on boards", team.display_name.clone()),
        ("label", text(&team.label)),
        ("id", text(&team.external_id)),
        ("ICPC id", text(&team.icpc_id)),
        ("organization", text(&team.organization)),
        ("groups", team.groups.0.join(", ")),
        ("hidden", team.hidden.to_string()),
    ] {
        writeln!(out, "{key:<14}{value}")?;
    }
    for one in &members {
        let end = if one.disabled { "  disabled" } else { "" };
        writeln!(out, "{:<14}{} ({}){end}", "member", one.name, one.role)?;
    }
    Ok(())
}

async fn affiliations(
    service: &Service,
    kind: Kind,
    contains: &str,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut after: Option<String> = None;
    loop {
        let found = service.affiliations(None, kind, Some(contains), after.as_deref(), PIECE).await?;
        let Some(last) = found.last() else { return Ok(()) };
        after = Some(last.id.clone());
        for one in &found {
            if json {
                writeln!(out, "{}", facts::affiliation(one))?;
            } else {
                let end = if one.hidden { "  hidden" } else { "" };
                writeln!(out, "{:<16} {:>5} teams  {}{end}", one.id, one.teams, one.name)?;
            }
        }
    }
}

async fn create(
    service: &Service,
    kind: Kind,
    id: &str,
    wanted: WantedAffiliation,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let id = service.create_affiliation(None, kind, id, &wanted, clock::now()).await?;
    writeln!(out, "{id}: made")?;
    Ok(())
}

async fn edit(
    service: &Service,
    kind: Kind,
    id: &str,
    wanted: WantedAffiliation,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    service.edit_affiliation(None, kind, id, None, &wanted, clock::now()).await?;
    writeln!(out, "{id}: changed")?;
    Ok(())
}

async fn delete(service: &Service, kind: Kind, id: &str, out: &mut impl Write) -> anyhow::Result<()> {
    service.delete_affiliation(None, kind, id, None, clock::now()).await?;
    writeln!(out, "{id}: deleted")?;
    Ok(())
}
