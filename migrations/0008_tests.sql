-- Tests that are changed in the browser, counterexamples after a contest, sentences that are said often, the judge's health.

-- Tests -----------------------------------------------------------------------------------------------------------

-- Why a version of the tests was taken out of force again: it broke a promise of the package.
alter table test_set add column refused text;

-- The generator's command of a test that was added by it. (`recipe` is that of a test which the package generates.)
alter table test_case add column made_by text;

-- A proposal may take the place of a test, and may name a generator's command instead of an input. The queue names
-- proposals and learns of a new kind of job, so both are made anew, the queue last.
create table test_proposal_new (
    id integer not null primary key autoincrement,
    problem_id integer not null references problem (id),
    name text not null check (length(name) > 0),
    replaces text, -- the name of the test whose place it takes
    recipe text check (length(recipe) between 1 and 1000), -- the generator's command that makes the input
    input_sha256 blob references blob (sha256), -- null: the command was not run yet
    input_bytes integer not null check (input_bytes >= 0),
    sample integer not null check (sample in (0, 1)),
    state text not null check (state in ('queued', 'accepted', 'refused')),
    message text, -- the validator's words, or why the references could not answer
    difference text, -- where two references disagree
    created_ms integer not null,
    created_by integer not null references account (id),
    decided_ms integer,
    test_set_id integer references test_set (id), -- the version that has it
    check ((state = 'queued') = (decided_ms is null)),
    check ((state = 'accepted') = (test_set_id is not null)),
    check (input_sha256 is not null or (recipe is not null and state <> 'accepted'))
) strict;

insert into test_proposal_new (id, problem_id, name, input_sha256, input_bytes, sample, state, message, difference,
    created_ms, created_by, decided_ms, test_set_id)
select id, problem_id, name, input_sha256, input_bytes, sample, state, message, difference, created_ms, created_by,
    decided_ms, test_set_id
from test_proposal;

create temporary table job_kept as select * from job;
drop table job;
drop table test_proposal;
alter table test_proposal_new rename to test_proposal;
create index test_proposal_problem on test_proposal (problem_id, id);

-- Counterexamples -------------------------------------------------------------------------------------------------

-- A small input on which a submission goes wrong as it did on a secret test, made after the contest's end. Only what is
-- small enough to be shown whole is kept.
create table counterexample (
    id integer not null primary key autoincrement,
    judgement_id integer not null unique references judgement (id),
    state text not null check (state in ('queued', 'found', 'none')),
    input blob check (length(input) <= 4096),
    answer blob check (length(answer) <= 4096), -- null: nothing is compared with it
    output blob check (length(output) <= 4096), -- the beginning of what the program printed; null: said to the validator
    output_bytes integer check (output_bytes >= 0), -- of all of it
    original_bytes integer check (original_bytes >= 0), -- of the input that it was made from
    created_ms integer not null,
    end_ms integer,
    check ((state = 'queued') = (end_ms is null)),
    check ((state = 'found') = (input is not null))
) strict;

-- When the counterexamples of a contest that is over were asked for.
alter table contest add column counterexamples_ms integer;

create table job (
    id integer not null primary key autoincrement,
    kind text not null check (kind in ('judge', 'prepare', 'propose', 'trial', 'verify', 'counterexample')),
    judgement_id integer unique references judgement (id),
    package_id integer references package (id),
    proposal_id integer unique references test_proposal (id),
    trial_id integer unique references trial (id),
    verification_id integer unique references verification (id),
    counterexample_id integer unique references counterexample (id),
    priority integer not null, -- lower goes first
    owner_id integer references account (id), -- whose turn it uses up
    state text not null check (state in ('queued', 'leased', 'done', 'failed')),
    token integer not null default 0,
    worker text,
    lease_until_ms integer,
    not_before_ms integer not null,
    attempts integer not null default 0 check (attempts >= 0),
    interruptions integer not null default 0 check (interruptions >= 0),
    last_error text,
    created_ms integer not null,
    check ((kind = 'judge') = (judgement_id is not null)),
    check ((kind = 'prepare') = (package_id is not null)),
    check ((kind = 'propose') = (proposal_id is not null)),
    check ((kind = 'trial') = (trial_id is not null)),
    check ((kind = 'verify') = (verification_id is not null)),
    check ((kind = 'counterexample') = (counterexample_id is not null)),
    check ((state = 'leased') = (lease_until_ms is not null))
) strict;

insert into job (id, kind, judgement_id, package_id, proposal_id, trial_id, verification_id, priority, owner_id, state,
    token, worker, lease_until_ms, not_before_ms, attempts, interruptions,
    last_error, created_ms)
select id, kind, judgement_id, package_id, proposal_id, trial_id, verification_id, priority, owner_id, state, token,
    worker, lease_until_ms, not_before_ms, attempts, interruptions, last_error, created_ms
from job_kept;
drop table job_kept;

-- Holds all that choosing the next job reads, so that a long queue stays cheap to claim from.
create index job_open on job (priority, owner_id, id, state, not_before_ms, lease_until_ms)
    where state in ('queued', 'leased');
create index job_leased on job (lease_until_ms) where state = 'leased';
create index job_failed on job (id) where state = 'failed';

-- Health ----------------------------------------------------------------------------------------------------------

create index judgement_end on judgement (end_ms) where end_ms is not null;

-- Clarifications --------------------------------------------------------------------------------------------------

-- What judges answer often, to be chosen instead of written.
create table canned_answer (
    id integer not null primary key autoincrement,
    text text not null unique check (length(text) between 1 and 4000),
    created_ms integer not null,
    created_by integer not null references account (id)
) strict;
