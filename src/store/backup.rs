//! Copies of the whole file, and whether a file is whole.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use super::StoreError;

/// Writes the file as it is at this moment to a new file, in one piece and without what was deleted. A server may work on
/// it meanwhile.
///
/// # Errors
/// [`StoreError::Database`], also when `to` is there already and not empty.
#[expect(clippy::disallowed_methods, reason = "the macro can't describe a `vacuum`")]
pub async fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut connection = read_only(from).await?;
    sqlx::query("vacuum into ?").bind(to.to_string_lossy().into_owned()).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// SQLite's code for a file that is something else (`SQLITE_NOTADB`).
const NOT_A_DATABASE: &str = "26";

/// What is wrong with a file; empty when it is whole. Reads all of it.
///
/// # Errors
/// [`StoreError::Database`] when it can't even be read.
#[expect(clippy::disallowed_methods, reason = "the macro can't describe a `pragma`")]
pub async fn faults(file: &Path) -> Result<Vec<String>, StoreError> {
    let mut connection = read_only(file).await?;
    let checked = match sqlx::query("pragma integrity_check").fetch_all(&mut connection).await {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(NOT_A_DATABASE) => {
            return Ok(vec!["it is no SQLite database".to_owned()]);
        }
        checked => checked?,
    };
    let mut faults: Vec<String> =
        checked.iter().map(|row| row.get::<String, _>(0)).filter(|line| line != "ok").collect();
    for row in sqlx::query("pragma foreign_key_check").fetch_all(&mut connection).await? {
        faults.push(format!(
            "a row of {} names one of {} that isn't there",
            row.get::<String, _>(0),
            row.get::<String, _>(2)
        ));
    }
    let is_ours: bool = sqlx::query("select exists (select 1 from sqlite_schema where name = 'submission')")
        .fetch_one(&mut connection)
        .await?
        .get(0);
    if !is_ours {
        faults.push("it is no database of this judge".to_owned());
    }
    connection.close().await?;
    Ok(faults)
}

async fn read_only(file: &Path) -> Result<SqliteConnection, StoreError> {
    Ok(SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(super::BUSY).connect().await?)
}
