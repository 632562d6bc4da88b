//! Why nothing was done, as statuses: 403 for a weaker role, 404 for what is not there, 409 for what changed meanwhile
//! or can't be done now, 422 for what can't be used. The sentences are the use cases' own.

use axum::http::StatusCode;

use super::ApiError;
use crate::service::accounts::AccountError;
use crate::service::clarifications::ClarifyError;
use crate::service::contests::ContestError;
use crate::service::farm::MachineError;
use crate::service::health::HealthError;
use crate::service::people::ActsError;
use crate::service::problems::ProblemError;
use crate::service::registration::InvitationError;
use crate::service::rejudge::RejudgeError;
use crate::service::roster_import::ImportError;
use crate::service::second_step::SecondStepError;
use crate::service::teams::TeamError;
use crate::service::test_cases::AddTestError;
use crate::service::test_changes::ChangeTestsError;
use crate::service::test_zip::ZipError;

impl From<ProblemError> for ApiError {
    fn from(error: ProblemError) -> Self {
        use ProblemError as E;
        let status = match &error {
            E::Store(_) | E::Random(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchProblem(_) | E::NoSuchVersion(_) => StatusCode::NOT_FOUND,
            E::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            E::NothingInForce(_)
            | E::Changed { .. }
            | E::UnderWay
            | E::KnownVersion
            | E::SameAsBefore
            | E::NotReady(_)
            | E::NoMarkdown
            | E::OwnChecker
            | E::Exists(_)
            | E::SettingsByHand => StatusCode::CONFLICT,
            E::Empty
            | E::Files(_)
            | E::Package(_)
            | E::BadSlug(_)
            | E::BadStatement
            | E::BadLimits
            | E::BadTolerance
            | E::NoLanguage => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<AddTestError> for ApiError {
    fn from(error: AddTestError) -> Self {
        use AddTestError as E;
        let status = match &error {
            E::Store(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchProblem(_) | E::NoSuchTest(_) => StatusCode::NOT_FOUND,
            E::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            E::NotReady(_) | E::NameTaken(_) | E::Changed { .. } | E::SameInput(_) => StatusCode::CONFLICT,
            E::Empty | E::BadName | E::BadCommand => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ChangeTestsError> for ApiError {
    fn from(error: ChangeTestsError) -> Self {
        use ChangeTestsError as E;
        let status = match &error {
            E::Store(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchProblem(_) | E::NoSuchTest(_) => StatusCode::NOT_FOUND,
            E::NotReady(_) | E::Changed { .. } | E::Grouped | E::Nothing | E::LastTest => StatusCode::CONFLICT,
            E::NoReason | E::BadGroup | E::BadPlace(_) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ZipError> for ApiError {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::Bad(words) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, words),
            ZipError::Store(_) => Self::internal(&error),
        }
    }
}

impl From<RejudgeError> for ApiError {
    fn from(error: RejudgeError) -> Self {
        use RejudgeError as E;
        let status = match &error {
            E::Store(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchRejudging(_) | E::NoSuchSubmission(_) | E::NoSuchProblem(_) | E::NoSuchContest(_) => {
                StatusCode::NOT_FOUND
            }
            E::NotDone { .. } | E::NotNow | E::Changed | E::Below(_) | E::Nothing { .. } => StatusCode::CONFLICT,
            E::NothingChosen | E::LongReason => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<AccountError> for ApiError {
    fn from(error: AccountError) -> Self {
        use AccountError as E;
        let status = match &error {
            E::Store(_) | E::Hashing(_) | E::Random(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchAccount(_) => StatusCode::NOT_FOUND,
            E::Changed | E::LastAdmin => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<SecondStepError> for ApiError {
    fn from(error: SecondStepError) -> Self {
        use SecondStepError as E;
        let status = match &error {
            E::Store(_) | E::Generation(_) | E::Random(_) | E::Password(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchAccount(_) => StatusCode::NOT_FOUND,
            _ => StatusCode::CONFLICT,
        };
        Self::new(status, error.to_string())
    }
}

impl From<InvitationError> for ApiError {
    fn from(error: InvitationError) -> Self {
        use InvitationError as E;
        let status = match &error {
            E::Store(_) | E::Random(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchInvitation => StatusCode::NOT_FOUND,
            E::Changed => StatusCode::CONFLICT,
            E::BadInvitation => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        use ImportError as E;
        let status = match &error {
            E::Store(_) | E::Hashing(_) | E::Generation(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::Gone | E::Changed => StatusCode::CONFLICT,
            E::Faults(faults) => {
                let lines = faults.iter().map(|fault| match fault.place.line {
                    0 => format!("{}: {}", fault.place.file, fault.trouble),
                    line => format!("{}:{line}: {}", fault.place.file, fault.trouble),
                });
                let told = std::iter::once(error.to_string()).chain(lines).collect::<Vec<_>>().join("\n");
                return Self::new(StatusCode::UNPROCESSABLE_ENTITY, told);
            }
        };
        Self::new(status, error.to_string())
    }
}

impl From<TeamError> for ApiError {
    fn from(error: TeamError) -> Self {
        use TeamError as E;
        let status = match &error {
            E::Store(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchTeam(_) | E::NoSuchGroup(_) | E::NoSuchOrganization(_) | E::NoSuchAccount(_) => {
                StatusCode::NOT_FOUND
            }
            E::NoMember(_) | E::NameTaken(_) | E::IdTaken(_) | E::HasTeams { .. } | E::Changed => StatusCode::CONFLICT,
            E::BadName | E::BadId(_) | E::BadCountry(_) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ContestError> for ApiError {
    fn from(error: ContestError) -> Self {
        use ContestError as E;
        let status = match &error {
            E::Store(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchContest(_) => StatusCode::NOT_FOUND,
            E::Taken(_) | E::ChangedMeanwhile | E::Tried(_) | E::Practice | E::NotNow(_) => StatusCode::CONFLICT,
            E::BadName
            | E::FreezeTooLong
            | E::NoSuchProblem(_)
            | E::BadLabel(_)
            | E::BadColour(_)
            | E::NoSuchTeam(_) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ClarifyError> for ApiError {
    fn from(error: ClarifyError) -> Self {
        use ClarifyError as E;
        let status = match &error {
            E::Store(_) => return Self::internal(&error),
            E::Forbidden(_) => StatusCode::FORBIDDEN,
            E::NoSuchProblem(_) | E::NoSuchQuestion => StatusCode::NOT_FOUND,
            E::NotBegun | E::TooFast { .. } => StatusCode::CONFLICT,
            E::NoTeam | E::Empty | E::TooLong(_) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, error.to_string())
    }
}

impl From<HealthError> for ApiError {
    fn from(error: HealthError) -> Self {
        match error {
            HealthError::Forbidden(_) => Self::new(StatusCode::FORBIDDEN, error.to_string()),
            HealthError::Store(_) => Self::internal(&error),
        }
    }
}

impl From<ActsError> for ApiError {
    fn from(error: ActsError) -> Self {
        match error {
            ActsError::Forbidden(_) => Self::new(StatusCode::FORBIDDEN, error.to_string()),
            ActsError::Store(_) => Self::internal(&error),
        }
    }
}

impl From<MachineError> for ApiError {
    fn from(error: MachineError) -> Self {
        let status = match &error {
            MachineError::Store(_) => return Self::internal(&error),
            MachineError::Forbidden(_) => StatusCode::FORBIDDEN,
            MachineError::NoSuchMachine(_) => StatusCode::NOT_FOUND,
        };
        Self::new(status, error.to_string())
    }
}
