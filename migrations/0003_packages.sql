-- The whole package format in the server: scores by groups, verification before publishing, large contents in parts.

-- Scores ----------------------------------------------------------------------------------------------------------

alter table judgement add column groups text check (groups is null or json_valid(groups)); -- what each came to

drop trigger judgement_verdict_once;
create trigger judgement_verdict_once before update of
    submission_id, package_id, test_set_id, state, verdict, score, groups, failed_ordinal, compiler_output, message,
    judge_message, cpu_ms, memory_bytes, receipt, start_ms, end_ms
on judgement when old.verdict is not null
begin select raise(abort, 'a verdict is written once'); end;

-- Large contents --------------------------------------------------------------------------------------------------

-- A blob that is larger than a part lies here; its own row then has no contents. Parts are cut at fixed places, so the
-- same contents have the same parts, whoever writes them. The blob's row is written last: without it parts mean nothing.
create table blob_part (
    sha256 blob not null check (length(sha256) = 32), -- of the whole blob
    ordinal integer not null check (ordinal >= 1),
    bytes integer not null check (bytes > 0), -- of this part before encoding
    encoding text not null check (encoding in ('raw', 'zstd')),
    contents blob not null,
    unique (sha256, ordinal)
) strict;

create trigger blob_part_keeps_update before update on blob_part
begin select raise(abort, 'a blob never changes'); end;

-- Verification ----------------------------------------------------------------------------------------------------

-- Whether a package with these tests keeps what it promises. One that decides stands before publishing; the others look
-- at what is in force already: a built-in package, or a test that was added.
create table verification (
    id integer not null primary key autoincrement,
    problem_id integer not null references problem (id),
    package_id integer not null references package (id),
    test_set_id integer references test_set (id), -- null until its tests are made
    decides integer not null check (decides in (0, 1)),
    state text not null check (state in ('queued', 'running', 'holds', 'broken', 'dropped')),
    part text, -- what is being done
    part_done integer not null default 0 check (part_done >= 0),
    part_total integer not null default 0 check (part_total >= 0),
    report text check (report is null or json_valid(report)),
    message text, -- why it is broken
    created_ms integer not null,
    start_ms integer,
    end_ms integer,
    check ((state in ('holds', 'broken', 'dropped')) = (end_ms is not null))
) strict;

create index verification_problem on verification (problem_id, id);
create index verification_package on verification (package_id, id);
create index verification_tests on verification (test_set_id, id);

-- What each program did, kept as soon as it is known: a verification that is interrupted goes on behind it.
create table verification_program (
    verification_id integer not null references verification (id),
    name text not null check (length(name) > 0),
    result text not null check (json_valid(result)),
    primary key (verification_id, name)
) strict, without rowid;

-- The queue learns of verifications: SQLite changes a check only by making the table anew.
create table job_new (
    id integer not null primary key autoincrement,
    kind text not null check (kind in ('judge', 'prepare', 'propose', 'trial', 'verify')),
    judgement_id integer unique references judgement (id),
    package_id integer references package (id),
    proposal_id integer unique references test_proposal (id),
    trial_id integer unique references trial (id),
    verification_id integer unique references verification (id),
    priority integer not null, -- lower goes first
    owner_id integer references account (id), -- whose turn it uses up
    state text not null check (state in ('queued', 'leased', 'done', 'failed')),
    token integer not null default 0,
    worker text,
    lease_until_ms integer,
    not_before_ms integer not null,
    attempts integer not null default 0 check (attempts >= 0),
    last_error text,
    created_ms integer not null,
    check ((kind = 'judge') = (judgement_id is not null)),
    check ((kind = 'prepare') = (package_id is not null)),
    check ((kind = 'propose') = (proposal_id is not null)),
    check ((kind = 'trial') = (trial_id is not null)),
    check ((kind = 'verify') = (verification_id is not null)),
    check ((state = 'leased') = (lease_until_ms is not null))
) strict;

insert into job_new (id, kind, judgement_id, package_id, proposal_id, trial_id, priority, owner_id, state, token, worker,
    lease_until_ms, not_before_ms, attempts, last_error, created_ms)
select id, kind, judgement_id, package_id, proposal_id, trial_id, priority, owner_id, state, token, worker,
    lease_until_ms, not_before_ms, attempts, last_error, created_ms
from job;
drop table job;
alter table job_new rename to job;

-- Holds all that choosing the next job reads, so that a long queue stays cheap to claim from.
create index job_open on job (priority, owner_id, id, state, not_before_ms, lease_until_ms)
    where state in ('queued', 'leased');
create index job_leased on job (lease_until_ms) where state = 'leased';
create index job_failed on job (id) where state = 'failed';

-- What was there before: packages that wait are decided by their verification, those in force are looked at now.
insert into verification (problem_id, package_id, test_set_id, decides, state, created_ms)
select problem_id, id, null, created_by is not null, 'queued', created_ms from package where state = 'queued';
insert into verification (problem_id, package_id, test_set_id, decides, state, created_ms)
select id, package_id, test_set_id, 0, 'queued', created_ms from problem where package_id is not null;
insert into job (kind, verification_id, priority, state, not_before_ms, created_ms)
select 'verify', id, 40, 'queued', created_ms, created_ms from verification where test_set_id is not null;
