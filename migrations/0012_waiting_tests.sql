-- Changed tests count only once they are verified; until then the version that counts stays as it is.

-- Whether it is still to be seen if these tests keep what their package promises. The newest waiting version is verified;
-- an older one only when that one is refused.
alter table test_set add column waits integer not null default 0 check (waits in (0, 1));

-- The version in force from which these tests were carried over or changed; null: there was none.
alter table test_set add column made_from integer references test_set (id);

-- Contents that nothing names, and since when that is known: an import that was interrupted leaves them behind. Parts without
-- a blob count too.
create table blob_unnamed (
    sha256 blob not null primary key check (length(sha256) = 32),
    since_ms integer not null
) strict, without rowid;

-- Every place that names contents: columns, and what preparations wrote down as JSON.
create view blob_named (sha256) as
    select sha256 from package_file
    union select input_sha256 from test_case
    union select answer_sha256 from test_case
    union select input_sha256 from test_proposal where input_sha256 is not null
    union select sha256 from submission_file
    union select input_sha256 from picture
    union select unhex(c.value) from package k, json_each(k.metadata, '$.rules.contents') c where k.metadata is not null
    union select unhex(json_extract(f.value, '$[1]')) from test_case t, json_each(t.config, '$.files') f
        where t.config <> '{}';

create index test_set_waiting on test_set (problem_id, id) where waits = 1;
