-- What contestants are shown of their runs, and what they may do beside submitting.

-- Runs ------------------------------------------------------------------------------------------------------------

alter table run add column cause text check (cause is null or json_valid(cause)); -- why it failed, for any language
alter table run add column times_run integer not null default 1 check (times_run >= 1); -- near the limit: up to 3
-- What it printed, only of a failed sample, and only the beginning.
alter table run add column output blob check (output is null or length(output) <= 4096);
alter table run add column output_bytes integer check (output_bytes >= 0); -- of all of it

-- Trials ----------------------------------------------------------------------------------------------------------

-- A program run on the samples or on somebody's own input. It is no submission, and it goes after an hour.
create table trial (
    id integer not null primary key autoincrement,
    account_id integer not null references account (id),
    problem_id integer not null references problem (id),
    package_id integer not null references package (id),
    test_set_id integer not null references test_set (id),
    language text not null check (length(language) > 0),
    file_name text not null check (length(file_name) > 0),
    source blob not null check (length(source) > 0),
    input blob check (input is null or length(input) <= 65536), -- null: the samples
    state text not null check (state in ('queued', 'running', 'done')),
    outcome text check (outcome is null or json_valid(outcome)),
    created_ms integer not null,
    end_ms integer,
    check ((state = 'done') = (outcome is not null)),
    check ((state = 'done') = (end_ms is not null))
) strict;

create index trial_account on trial (account_id, created_ms);
create index trial_created on trial (created_ms);

-- The queue learns of trials: SQLite changes a check only by making the table anew.
create table job_new (
    id integer not null primary key autoincrement,
    kind text not null check (kind in ('judge', 'prepare', 'propose', 'trial')),
    judgement_id integer unique references judgement (id),
    package_id integer references package (id),
    proposal_id integer unique references test_proposal (id),
    trial_id integer unique references trial (id),
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
    check ((state = 'leased') = (lease_until_ms is not null))
) strict;

insert into job_new (id, kind, judgement_id, package_id, proposal_id, priority, owner_id, state, token, worker,
    lease_until_ms, not_before_ms, attempts, last_error, created_ms)
select id, kind, judgement_id, package_id, proposal_id, priority, owner_id, state, token, worker, lease_until_ms,
    not_before_ms, attempts, last_error, created_ms
from job;
drop table job;
alter table job_new rename to job;

-- Holds all that choosing the next job reads, so that a long queue stays cheap to claim from.
create index job_open on job (priority, owner_id, id, state, not_before_ms, lease_until_ms)
    where state in ('queued', 'leased');
create index job_leased on job (lease_until_ms) where state = 'leased';
create index job_failed on job (id) where state = 'failed';

-- Pictures --------------------------------------------------------------------------------------------------------

-- What a package's input visualizer drew of a sample's input, made safe.
create table picture (
    package_id integer not null references package (id),
    input_sha256 blob not null references blob (sha256),
    svg text not null check (length(svg) between 1 and 262144),
    primary key (package_id, input_sha256)
) strict, without rowid;

-- Clarifications --------------------------------------------------------------------------------------------------

-- CLICS: a question comes from a team, an answer goes to that team or to all, an announcement is asked by nobody.
create table clarification (
    id integer not null primary key autoincrement,
    contest_id integer not null references contest (id),
    problem_id integer references problem (id), -- null: about the contest
    from_team_id integer references team (id), -- null: from the judges
    to_team_id integer references team (id), -- null: to the judges if from a team, else to all
    reply_to integer references clarification (id),
    author_id integer not null references account (id),
    text text not null check (length(text) between 1 and 4000),
    created_ms integer not null,
    check (from_team_id is null or (to_team_id is null and reply_to is null)),
    check (to_team_id is null or reply_to is not null)
) strict;

create index clarification_contest on clarification (contest_id, id);
create index clarification_reply on clarification (reply_to) where reply_to is not null;
