//! What a worker asks and tells, and what it is answered. Each call is a request that is sent again until it is answered;
//! all of them may arrive twice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::hash::Sha256;
use crate::domain::ids::JobId;
use crate::domain::language::{LanguageId, ShownCommand};
use crate::domain::verification::ProgramResult;

use super::outcome::{Ending, Run, Step};

/// A claim on a job, as a worker shows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Claim {
    /// The job.
    pub job: JobId,
    /// Which claim of it.
    pub token: i64,
    /// The server's own word that this worker was given it. Nobody else can make it.
    pub seal: String,
}

/// What a worker says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// Who it is. Always understood, whatever its protocol.
    Hello(Hello),
    /// It still lives.
    Alive,
    /// A slot has nothing to do. Whatever it held before goes back.
    Ask,
    /// It still works on this.
    Renew(Claim),
    /// Whether something waits that goes before this.
    IsUrgentWaiting(Claim),
    /// A run is done.
    Run(Claim, Box<Run>),
    /// So far it is.
    Step(Claim, Step),
    /// A package's program was judged.
    Program(Claim, Box<ProgramResult>),
    /// The job is done.
    Ended(Claim, Box<Ending>),
    /// A fault of ours stopped the work.
    Failed(Claim, String),
    /// The job goes back untouched.
    GivenBack(Claim),
    /// It needs these contents.
    Need(Claim, Sha256),
    /// What it was told of these contents isn't there any more.
    Missing(Claim, Sha256),
    /// A part of contents that it made; the bytes stand behind the message.
    Put(Claim, Part),
}

/// Which part of which contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The contents' digest.
    pub sha256: Sha256,
    /// Their size, bytes.
    pub bytes: u64,
    /// Where this part begins, bytes.
    pub offset: u64,
}

/// What the server answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It is done; a worker that said who it is may ask for jobs.
    Done,
    /// This job comes under the slot's own subject.
    Coming(Claim),
    /// There is nothing to do.
    Nothing,
    /// It gets no jobs, and why.
    Resting(String),
    /// The server doesn't know the worker: it shall say who it is.
    Unknown,
    /// Yes or no.
    Told(bool),
    /// The contents lie ready for this worker.
    Contents {
        /// Their size, bytes.
        bytes: u64,
    },
    /// The claim is over.
    LeaseLost,
    /// The server's disk takes nothing in.
    DiskTrouble(String),
    /// Another fault; it may go well later.
    Unavailable(String),
    /// It will never be done, and why.
    Refused(String),
}

/// Who a worker is and what it judges with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// Which protocol it speaks.
    pub protocol: u32,
    /// The program's version.
    pub version: String,
    /// How many jobs it works on at once.
    #[serde(default)]
    pub slots: u16,
    /// Its clock, milliseconds since 1970. Nothing is decided by it.
    #[serde(default)]
    pub clock_ms: i64,
    /// What it judges with.
    #[serde(default)]
    pub measure: Measure,
}

/// What must be equal on two machines for their verdicts to be, and how fast a machine is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measure {
    /// Each tool's identity (version and program).
    pub tools: BTreeMap<String, Sha256>,
    /// Digest over the commands with which the languages compile and run.
    pub commands: Option<Sha256>,
    /// The languages that it can judge, as people see them.
    pub offers: Vec<Offered>,
    /// Version of the sandbox.
    pub sandbox: String,
    /// Kernel, processor, architecture.
    pub host: BTreeMap<String, String>,
    /// What `doctor` found that is not as it should be.
    pub findings: Vec<Finding>,
    /// A fixed set of work, microseconds each; `None` where it was not measured.
    pub calibration: Option<Calibration>,
}

/// A language that a machine can judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Its id.
    pub id: LanguageId,
    /// Its name.
    pub name: String,
    /// The compiler or interpreter.
    pub version: String,
    /// File name endings, the usual one first.
    pub extensions: Vec<String>,
    /// Endings for which it is the usual choice.
    pub default_for: Vec<String>,
    /// What compiles or checks it.
    pub compiler: Option<ShownCommand>,
    /// What runs it.
    pub runner: Option<ShownCommand>,
}

/// Something that `doctor` says of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at.
    pub layer: String,
    /// `weaker` or `unsafe`.
    pub state: String,
    /// What is the matter.
    pub detail: String,
    /// How to mend it.
    pub fix: Option<String>,
}

/// How long a fixed set of work takes on a machine, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// Arithmetic.
    pub cpu_us: u64,
    /// Reading memory in an order that no cache foresees.
    pub memory_us: u64,
    /// System calls.
    pub calls_us: u64,
}
