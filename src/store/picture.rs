//! Pictures of samples, made safe before they come here. A picture belongs to a package and an input, so that it stays
//! when the same package gets more tests.

use sqlx::SqliteExecutor;

use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{PackageId, TestSetId};

/// Writes a package's picture of an input.
pub async fn insert(tx: &mut WriteTx, package: PackageId, input: Sha256, svg: &str) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into picture (package_id, input_sha256, svg) values (?, ?, ?) on conflict do nothing",
        package,
        input,
        svg
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// For each sample of a test set, in order: its picture, if there is one.
pub async fn of_samples(
    executor: impl SqliteExecutor<'_>,
    package: PackageId,
    set: TestSetId,
) -> Result<Vec<Option<String>>, StoreError> {
    let rows = sqlx::query!(
        r#"select p.svg as "svg?" from test_case t
            left join picture p on p.package_id = ? and p.input_sha256 = t.input_sha256
        where t.test_set_id = ? and t.sample = 1 order by t.ordinal"#,
        package,
        set
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| row.svg).collect())
}
