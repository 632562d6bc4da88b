//! `touchstone user`: accounts from the command line.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::clock;
use crate::config::{Config, Settings};
use crate::domain::account::{NewPassword, Role, UserName};
use crate::service::Service;
use crate::store::Store;

#[derive(Debug, clap::Subcommand)]
pub enum UserCommand {
    Create(CreateArgs),
}

/// Make an account
///
/// The password is read from standard input, so that it stands in no list of processes and no shell history.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone user create ann --role judge --password-stdin < password.txt")]
pub struct CreateArgs {
    /// Login name
    name: UserName,
    /// What it may do: contestant, setter, judge or admin
    #[arg(long)]
    role: Role,
    /// Read the password from standard input (up to the first line's end)
    #[arg(long, required = true)]
    password_stdin: bool,
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: UserCommand) -> anyhow::Result<ExitCode> {
    let UserCommand::Create(args) = command;
    let mut text = String::new();
    std::io::stdin().lock().take(10_000).read_to_string(&mut text).context("the password could not be read")?;
    let password: NewPassword = text.lines().next().unwrap_or_default().parse()?;
    let config = Config::new(Settings { data: args.data.clone(), ..Settings::default() }, 1)?;
    if !config.database().exists() {
        tell(&format!("there is no judge in {} yet; a new one is made", config.data.display()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let account = runtime.block_on(async {
        std::fs::create_dir_all(&config.data).with_context(|| format!("{}", config.data.display()))?;
        let database = config.database();
        let store = Store::open(&database).await;
        let store = store.with_context(|| format!("the database {} can't be opened", database.display()))?;
        let service = Service::new(store);
        Ok::<_, anyhow::Error>(service.create_user(&args.name, args.role, Some(&password), clock::now()).await?)
    })?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "id": account, "name": args.name, "role": args.role }))?;
    } else {
        writeln!(out, "made the account {} ({})", args.name, args.role)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::print_stderr, reason = "the command line speaks on standard error")]
fn tell(note: &str) {
    eprintln!("touchstone: {note}");
}
