//! One type per kind of id, so that a problem's id can't be passed for a contest's.

use std::fmt;
use std::str::FromStr;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl From<i64> for $name {
            fn from(value: i64) -> Self {
                Self(value)
            }
        }
    )+};
}

id! {
    /// A person who can log in.
    AccountId,
    /// A token with which a program acts for an account.
    ApiTokenId,
    /// What the scoreboard ranks: one person or several.
    TeamId,
    /// A contest; the practice contest is one too.
    ContestId,
    /// A problem of the judge, whatever its versions.
    ProblemId,
    /// One imported state of a problem's package.
    PackageId,
    /// One test case of one test set.
    TestCaseId,
    /// One immutable list of test cases of a problem.
    TestSetId,
    /// A test case that was offered by its input alone.
    ProposalId,
    /// One look at whether a package keeps what it promises.
    VerificationId,
    /// A program tried without handing it in.
    TrialId,
    /// A small input on which a submission goes wrong.
    CounterexampleId,
    /// An answer that judges give often.
    CannedAnswerId,
    /// A question to the judges, an answer, or an announcement.
    ClarificationId,
    /// What somebody handed in.
    SubmissionId,
    /// A team's own clock in a past contest.
    VirtualRunId,
    /// One judging of a submission.
    JudgementId,
    /// A link by which so many people may register.
    InvitationId,
    /// Files of accounts and teams that are looked at before they are taken.
    RosterImportId,
    /// Where teams come from: a university, a school, a company.
    OrganizationId,
    /// What ranks apart, such as a region.
    GroupId,
    /// One act of judging submissions again.
    RejudgingId,
    /// Work for a judging task loop: a judgement, or the preparation of a package or a test case.
    JobId,
    /// Position in the append-only event table.
    EventId,
}
