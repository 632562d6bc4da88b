//! CLICS's two ways to write time. Must not know: resources.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::domain::time::EpochMs;

/// TIME: ISO 8601 with milliseconds and a numeric zone, which older Pythons can read too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time(pub EpochMs);

/// RELTIME: `h:mm:ss.uuu`, negative before the start. Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RelTime(pub i64);

impl PartialSchema for Time {
    fn schema() -> RefOr<Schema> {
        text("ISO 8601 with milliseconds and a zone: `2026-03-01T12:00:00.000+00:00`")
    }
}

impl ToSchema for Time {
    fn name() -> Cow<'static, str> {
        "TIME".into()
    }
}

impl PartialSchema for RelTime {
    fn schema() -> RefOr<Schema> {
        text("Since the start: `h:mm:ss.uuu`, with a minus sign before it")
    }
}

impl ToSchema for RelTime {
    fn name() -> Cow<'static, str> {
        "RELTIME".into()
    }
}

fn text(description: &str) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description)).into()
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let moment = jiff::Timestamp::from_millisecond(self.0.0).map_err(serde::ser::Error::custom)?;
        serializer.collect_str(&moment.strftime("%Y-%m-%dT%H:%M:%S.%3f+00:00"))
    }
}

impl Serialize for RelTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ms = self.0.unsigned_abs();
        let (seconds, minutes, hours) = (ms / 1_000 % 60, ms / 60_000 % 60, ms / 3_600_000);
        serializer.collect_str(&format_args!("{sign}{hours}:{minutes:02}:{seconds:02}.{:03}", ms % 1_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_clics_writes_them() {
        let json = |value: &dyn erased::Json| value.json();
        assert_eq!(json(&Time(EpochMs(1_772_366_400_007))), "\"2026-03-01T12:00:00.007+00:00\"");
        assert_eq!(json(&RelTime(0)), "\"0:00:00.000\"");
        assert_eq!(json(&RelTime(5 * 3_600_000 + 61_020)), "\"5:01:01.020\"");
        assert_eq!(json(&RelTime(-1_500)), "\"-0:00:01.500\"");
        assert_eq!(json(&RelTime(100 * 3_600_000)), "\"100:00:00.000\"");
    }

    mod erased {
        pub(super) trait Json {
            fn json(&self) -> String;
        }

        impl<T: serde::Serialize> Json for T {
            fn json(&self) -> String {
                serde_json::to_string(self).unwrap()
            }
        }
    }
}
