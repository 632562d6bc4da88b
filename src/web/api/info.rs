//! `/`, `/info`, `/version`: which API this is.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// CLICS API information.
#[derive(Serialize, ToSchema)]
#[schema(as = Api)]
pub(super) struct Info {
    /// `version`: of the Contest API.
    version: &'static str,
    /// `version_url`: where that version is described.
    version_url: &'static str,
    /// `name` of the provider in older versions.
    name: &'static str,
    /// `provider`.
    provider: Provider,
    /// DOMjudge's: the `v4` of the addresses.
    api_version: u8,
}

/// CLICS provider.
#[derive(Serialize, ToSchema)]
struct Provider {
    /// `name`.
    name: &'static str,
    /// `version`.
    version: &'static str,
}

/// DOMjudge's version object.
#[derive(Serialize, ToSchema)]
pub(super) struct Version {
    /// The `v4` of the addresses.
    api_version: u8,
}

/// Says which API this is.
pub(super) async fn show() -> Json<Info> {
    Json(Info {
        version: "2023-06",
        version_url: "https://ccs-specs.icpc.io/2023-06/contest_api",
        name: "Touchstone",
        provider: Provider { name: "Touchstone", version: env!("CARGO_PKG_VERSION") },
        api_version: 4,
    })
}

/// Says which version of the addresses this is.
pub(super) async fn version() -> Json<Version> {
    Json(Version { api_version: 4 })
}
