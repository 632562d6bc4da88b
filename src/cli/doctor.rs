//! `touchstone doctor`: what this host can and can't do.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::sandbox::SandboxConfig;
use crate::sandbox::doctor::{Finding, State, examine, worst};

use super::workshop;

/// Say what this host can and can't do, and how to mend it
///
/// Tries each layer of the sandbox by attacking it, and looks for compilers and interpreters. Ends with 0 when all is well, with 1 when something is weaker than it could be, and with 2 when it is not safe to
/// judge here; then the server refuses to.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// A language table that replaces the built-in one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
}

#[derive(Serialize)]
struct LanguageRow {
    id: String,
    name: String,
    version: String,
}

#[derive(Serialize)]
struct ToolRow {
    id: String,
    path: Option<PathBuf>,
    missing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let findings = examine(&SandboxConfig::default());
    let verdict = worst(&findings);
    let (mut languages, mut tools) = (Vec::new(), Vec::new());
    if verdict != State::Unsafe {
        let bench = workshop::open(args.languages.as_deref())?;
        languages.extend(bench.workshop.offered().into_iter().map(|offered| LanguageRow {
            id: offered.id.to_string(),
            name: offered.name,
            version: offered.version,
        }));
        tools.extend(bench.workshop.tools().into_iter().map(|(spec, found)| ToolRow {
            id: spec.id.clone(),
            path: found.ok().map(|tool| tool.tool.host_path.clone()),
            missing: found.err().map(str::to_owned),
            fix: found.err().and(spec.package.as_ref()).map(|package| format!("apt-get install {package}")),
        }));
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let rows: Vec<_> = findings
            .iter()
            .map(|finding| {
                serde_json::json!({
                    "layer": finding.layer, "state": word(finding.state), "detail": finding.detail, "fix": finding.fix,
                })
            })
            .collect();
        let report = serde_json::json!({
            "state": word(verdict), "findings": rows, "languages": languages, "tools": tools,
        });
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        print(&mut out, &findings, &languages, &tools)?;
    }
    Ok(ExitCode::from(verdict.exit_code()))
}

const fn word(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Weaker => "weaker",
        State::Unsafe => "unsafe",
    }
}

fn print(
    out: &mut impl std::io::Write,
    findings: &[Finding],
    languages: &[LanguageRow],
    tools: &[ToolRow],
) -> std::io::Result<()> {
    writeln!(out, "sandbox")?;
    for finding in findings {
        writeln!(out, "  {:<7} {:<20} {}", word(finding.state), finding.layer, finding.detail)?;
        if let Some(fix) = &finding.fix {
            writeln!(out, "          to mend it: {fix}")?;
        }
    }
    writeln!(out, "\nlanguages")?;
    for language in languages {
        writeln!(out, "  {:<12} {:<28} {}", language.id, language.name, language.version)?;
    }
    for tool in tools.iter().filter(|tool| tool.missing.is_some()) {
        writeln!(out, "  missing: {} ({})", tool.id, tool.missing.as_deref().unwrap_or_default())?;
        if let Some(fix) = &tool.fix {
            writeln!(out, "          to mend it: {fix}")?;
        }
    }
    Ok(())
}
