-- The whole judge in one file. Words are CLICS's and the ICPC package format's.

create table setting (
    key text not null primary key,
    value text not null
) strict, without rowid;

-- Contents by their hash: sources, package files, inputs, answers. Written once, never changed.
create table blob (
    sha256 blob not null primary key check (length(sha256) = 32),
    bytes integer not null check (bytes >= 0), -- of the contents before encoding
    encoding text not null check (encoding in ('raw', 'zstd')),
    contents blob not null
) strict;

-- People ---------------------------------------------------------------------------------------------------------

-- What a scoreboard ranks. Submissions belong to teams (CLICS).
create table team (
    id integer not null primary key autoincrement,
    name text not null unique check (length(name) > 0),
    display_name text not null check (length(display_name) > 0),
    hidden integer not null default 0 check (hidden in (0, 1)),
    created_ms integer not null
) strict;

create table account (
    id integer not null primary key autoincrement,
    name text not null unique collate nocase check (length(name) > 0),
    display_name text not null check (length(display_name) > 0),
    role text not null check (role in ('contestant', 'setter', 'judge', 'admin')),
    password_hash text, -- a PHC string; null: can't log in by password
    team_id integer references team (id),
    disabled integer not null default 0 check (disabled in (0, 1)),
    created_ms integer not null
) strict;

create index account_team on account (team_id);
create index account_role on account (role, id);

-- The cookie holds a random token; only its hash is kept. The CSRF token is derived from the cookie's.
create table session (
    token_sha256 blob not null primary key check (length(token_sha256) = 32),
    account_id integer not null references account (id),
    created_ms integer not null,
    seen_ms integer not null,
    expires_ms integer not null
) strict, without rowid;

create index session_account on session (account_id);
create index session_expires on session (expires_ms);

create table one_time_link (
    token_sha256 blob not null primary key check (length(token_sha256) = 32),
    purpose text not null check (purpose in ('first_admin', 'password')),
    account_id integer references account (id), -- null for first_admin: the account doesn't exist yet
    created_ms integer not null,
    expires_ms integer not null,
    used_ms integer,
    check ((purpose = 'first_admin') = (account_id is null))
) strict, without rowid;

-- Problems -------------------------------------------------------------------------------------------------------

create table problem (
    id integer not null primary key autoincrement,
    slug text not null unique check (length(slug) between 1 and 64),
    state text not null check (state in ('preparing', 'published', 'withdrawn', 'refused')),
    package_id integer references package (id), -- the current one; null until one is ready
    test_set_id integer references test_set (id), -- the current one
    created_ms integer not null,
    check ((package_id is null) = (test_set_id is null)),
    check (state in ('preparing', 'refused') or package_id is not null)
) strict;

create index problem_state on problem (state, slug);

-- One imported state of a problem's package. What only its preparation can know is null until it is ready.
create table package (
    id integer not null primary key autoincrement,
    problem_id integer not null references problem (id),
    version integer not null check (version >= 1),
    tree_sha256 blob not null check (length(tree_sha256) = 32),
    state text not null check (state in ('queued', 'ready', 'refused')),
    message text, -- why it was refused
    names text check (names is null or json_valid(names)), -- {"en": "...", "zh": "..."}
    languages text check (languages is null or json_valid(languages)), -- allowed ones, ["c", ...]; null: all
    cpu_ms integer check (cpu_ms > 0),
    wall_ms integer check (wall_ms > 0),
    memory_bytes integer check (memory_bytes > 0),
    output_bytes integer check (output_bytes > 0),
    processes integer check (processes > 0),
    metadata text check (metadata is null or json_valid(metadata)), -- whatever else problem.yaml says
    created_ms integer not null,
    created_by integer references account (id), -- null: built in
    unique (problem_id, version),
    unique (problem_id, tree_sha256),
    check (state <> 'ready' or (names is not null and cpu_ms is not null and wall_ms is not null
        and memory_bytes is not null and output_bytes is not null and processes is not null))
) strict;

create table package_file (
    package_id integer not null references package (id),
    path text not null check (length(path) > 0),
    sha256 blob not null references blob (sha256),
    bytes integer not null check (bytes >= 0),
    executable integer not null check (executable in (0, 1)),
    primary key (package_id, path)
) strict, without rowid;

-- Which of the package's files are its statements.
create table statement (
    package_id integer not null,
    language text not null check (length(language) > 0), -- as in problem.<language>.md
    format text not null check (format in ('markdown', 'tex', 'pdf')),
    path text not null,
    primary key (package_id, language, format),
    foreign key (package_id, path) references package_file (package_id, path)
) strict, without rowid;

-- An immutable list of test cases; a change makes the next version.
create table test_set (
    id integer not null primary key autoincrement,
    problem_id integer not null references problem (id),
    package_id integer not null references package (id),
    version integer not null check (version >= 1),
    sha256 blob not null check (length(sha256) = 32), -- over everything in it that a verdict depends on
    reason text not null,
    created_ms integer not null,
    created_by integer references account (id),
    unique (problem_id, version)
) strict;

create table test_case (
    id integer not null primary key autoincrement,
    test_set_id integer not null references test_set (id),
    ordinal integer not null check (ordinal >= 1),
    name text not null check (length(name) > 0),
    test_group text not null,
    sample integer not null check (sample in (0, 1)),
    input_sha256 blob not null references blob (sha256),
    answer_sha256 blob not null references blob (sha256),
    input_bytes integer not null check (input_bytes >= 0),
    answer_bytes integer not null check (answer_bytes >= 0),
    origin text not null check (origin in ('file', 'generated', 'added')),
    recipe text, -- the generator's command line
    config text not null default '{}' check (json_valid(config)), -- e.g. output_validator_args
    unique (test_set_id, ordinal),
    unique (test_set_id, name),
    check ((origin = 'generated') = (recipe is not null))
) strict;

-- A test offered by its input alone: a worker validates it and the references answer it.
create table test_proposal (
    id integer not null primary key autoincrement,
    problem_id integer not null references problem (id),
    name text not null check (length(name) > 0),
    input_sha256 blob not null references blob (sha256),
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
    check ((state = 'accepted') = (test_set_id is not null))
) strict;

create index test_proposal_problem on test_proposal (problem_id, id);

-- Contests -------------------------------------------------------------------------------------------------------

create table contest (
    id integer not null primary key autoincrement,
    slug text not null unique check (length(slug) between 1 and 64),
    name text not null check (length(name) > 0),
    start_ms integer not null,
    duration_ms integer check (duration_ms > 0), -- null: never ends
    freeze_ms integer check (freeze_ms > 0), -- for how long before the end
    thawed_ms integer,
    finalized_ms integer,
    penalty_minutes integer not null check (penalty_minutes >= 0),
    scoring text not null check (scoring in ('pass-fail', 'score')),
    created_ms integer not null,
    check (freeze_ms is null or (duration_ms is not null and freeze_ms <= duration_ms))
) strict;

create table contest_problem (
    contest_id integer not null references contest (id),
    problem_id integer not null references problem (id),
    ordinal integer not null check (ordinal >= 1),
    label text not null check (length(label) > 0),
    rgb text not null check (rgb glob '#[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'),
    primary key (contest_id, problem_id),
    unique (contest_id, ordinal),
    unique (contest_id, label)
) strict, without rowid;

create index contest_problem_problem on contest_problem (problem_id);

-- Submissions ----------------------------------------------------------------------------------------------------

create table submission (
    id integer not null primary key autoincrement,
    contest_id integer not null,
    problem_id integer not null,
    team_id integer not null references team (id),
    account_id integer not null references account (id),
    language text not null check (length(language) > 0),
    entry_point text,
    submitted_ms integer not null,
    bytes integer not null check (bytes > 0), -- of all its files
    dedupe_key text,
    unique (account_id, dedupe_key),
    foreign key (contest_id, problem_id) references contest_problem (contest_id, problem_id)
) strict;

create index submission_contest on submission (contest_id, id);
create index submission_problem on submission (problem_id, id);
create index submission_team on submission (team_id, id);
create index submission_account_time on submission (account_id, submitted_ms);

create table submission_file (
    submission_id integer not null references submission (id),
    ordinal integer not null check (ordinal >= 1),
    name text not null check (length(name) > 0),
    sha256 blob not null references blob (sha256),
    bytes integer not null check (bytes > 0),
    primary key (submission_id, ordinal),
    unique (submission_id, name)
) strict, without rowid;

-- A rejudge of one or many submissions. A preview's judgements don't become valid until it is applied.
create table rejudging (
    id integer not null primary key autoincrement,
    reason text not null,
    preview integer not null check (preview in (0, 1)),
    state text not null check (state in ('open', 'applied', 'dropped')),
    created_ms integer not null,
    created_by integer not null references account (id)
) strict;

create table judgement (
    id integer not null primary key autoincrement,
    submission_id integer not null references submission (id),
    package_id integer not null references package (id),
    test_set_id integer not null references test_set (id),
    reason text not null check (reason in ('submission', 'rejudge')),
    rejudging_id integer references rejudging (id),
    state text not null check (state in ('queued', 'running', 'done')),
    valid integer not null check (valid in (0, 1)), -- the one that counts
    verdict text check (verdict in ('AC', 'WA', 'TLE', 'MLE', 'OLE', 'RTE', 'CE', 'JE')),
    score real,
    failed_ordinal integer check (failed_ordinal >= 1),
    tests_total integer not null check (tests_total >= 0),
    compiler_output text check (length(compiler_output) <= 131072),
    message text, -- for its author
    judge_message text, -- only for those who may see the test data
    cpu_ms integer check (cpu_ms >= 0), -- of the slowest run
    memory_bytes integer check (memory_bytes >= 0), -- of the largest run
    receipt text check (receipt is null or json_valid(receipt)),
    created_ms integer not null,
    start_ms integer,
    end_ms integer,
    check ((reason = 'rejudge') = (rejudging_id is not null)),
    check ((state = 'done') = (verdict is not null)),
    check ((state = 'done') = (end_ms is not null))
) strict;

create unique index judgement_valid on judgement (submission_id) where valid = 1;
create index judgement_submission on judgement (submission_id, id);
create index judgement_verdict on judgement (verdict, submission_id) where valid = 1;
create index judgement_rejudging on judgement (rejudging_id) where rejudging_id is not null;

create table run (
    id integer not null primary key autoincrement,
    judgement_id integer not null references judgement (id),
    ordinal integer not null check (ordinal >= 1),
    test_case_id integer not null references test_case (id),
    verdict text not null check (verdict in ('AC', 'WA', 'TLE', 'MLE', 'OLE', 'RTE', 'JE')),
    score real,
    cpu_ms integer not null check (cpu_ms >= 0),
    wall_ms integer not null check (wall_ms >= 0),
    memory_bytes integer not null check (memory_bytes >= 0),
    message text, -- for the author: the signal, the exit code, a checker's team message
    judge_message text, -- the difference and the checker's judge message: it may quote the test
    created_ms integer not null,
    unique (judgement_id, ordinal)
) strict;

-- Work -----------------------------------------------------------------------------------------------------------

-- A worker leases a job for a while. `token` grows with every claim and fences off whoever lost the lease.
create table job (
    id integer not null primary key autoincrement,
    kind text not null check (kind in ('judge', 'prepare', 'propose')),
    judgement_id integer unique references judgement (id),
    package_id integer references package (id),
    proposal_id integer unique references test_proposal (id),
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
    check ((state = 'leased') = (lease_until_ms is not null))
) strict;

-- Holds all that choosing the next job reads, so that a long queue stays cheap to claim from.
create index job_open on job (priority, owner_id, id, state, not_before_ms, lease_until_ms)
    where state in ('queued', 'leased');
create index job_leased on job (lease_until_ms) where state = 'leased';
create index job_failed on job (id) where state = 'failed';

-- Who was served last: the next job of a priority is the one whose owner has waited longest.
create table job_turn (
    owner_id integer not null primary key references account (id),
    served integer not null unique
) strict;

-- Records --------------------------------------------------------------------------------------------------------

-- Everything that a reader may follow, numbered without gaps, written in the transaction that it tells of.
create table event (
    id integer not null primary key autoincrement,
    kind text not null check (kind in ('contest', 'problem', 'package', 'test_set', 'proposal', 'team', 'account',
        'submission', 'judgement', 'run', 'rejudging', 'state', 'clarification', 'award')),
    op text not null check (op in ('create', 'update', 'delete')),
    contest_id integer,
    problem_id integer,
    submission_id integer,
    judgement_id integer,
    object_id integer not null, -- the id of what `kind` names
    data text not null check (json_valid(data)),
    created_ms integer not null
) strict;

create index event_contest on event (contest_id, id);
create index event_submission on event (submission_id, id) where submission_id is not null;

create table audit (
    id integer not null primary key autoincrement,
    actor_id integer references account (id), -- null: the command line
    act text not null,
    subject text not null,
    before text,
    after text,
    address text,
    at_ms integer not null
) strict;

create index audit_at on audit (at_ms);

-- What never changes, whoever writes the SQL ---------------------------------------------------------------------

create trigger event_keeps_update before update on event
begin select raise(abort, 'events are append-only'); end;
create trigger event_keeps_delete before delete on event
begin select raise(abort, 'events are append-only'); end;

create trigger audit_keeps_update before update on audit
begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_keeps_delete before delete on audit
begin select raise(abort, 'the audit log is append-only'); end;

create trigger submission_keeps_update before update on submission
begin select raise(abort, 'a submission never changes'); end;
create trigger submission_keeps_delete before delete on submission
begin select raise(abort, 'a submission never changes'); end;

create trigger submission_file_keeps_update before update on submission_file
begin select raise(abort, 'a submission never changes'); end;
create trigger submission_file_keeps_delete before delete on submission_file
begin select raise(abort, 'a submission never changes'); end;

create trigger test_case_keeps_update before update on test_case
begin select raise(abort, 'a test set never changes'); end;
create trigger test_case_keeps_delete before delete on test_case
begin select raise(abort, 'a test set never changes'); end;

create trigger blob_keeps_update before update on blob
begin select raise(abort, 'a blob never changes'); end;

-- A done judgement keeps everything but whether it counts.
create trigger judgement_verdict_once before update of
    submission_id, package_id, test_set_id, state, verdict, score, failed_ordinal, compiler_output, message,
    judge_message, cpu_ms, memory_bytes, receipt, start_ms, end_ms
on judgement when old.verdict is not null
begin select raise(abort, 'a verdict is written once'); end;
create trigger judgement_keeps_delete before delete on judgement
begin select raise(abort, 'a judgement stays readable'); end;

create trigger run_keeps_update before update on run
begin select raise(abort, 'a run never changes'); end;
-- An unfinished judgement that starts again drops its runs; a finished one keeps them.
create trigger run_keeps_delete before delete on run
when (select verdict from judgement where id = old.judgement_id) is not null
begin select raise(abort, 'the runs of a done judgement stay'); end;
