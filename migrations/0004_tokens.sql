-- Keys for programs that act for an account, names that look alike, and what contestants learn of failed secret tests.

-- Tokens ----------------------------------------------------------------------------------------------------------

-- The token itself is shown once, when it is made; only its hash is kept.
create table api_token (
    id integer not null primary key autoincrement,
    account_id integer not null references account (id),
    name text not null check (length(name) between 1 and 60),
    token_sha256 blob not null unique check (length(token_sha256) = 32),
    may_read integer not null check (may_read in (0, 1)),
    may_submit integer not null check (may_submit in (0, 1)),
    created_ms integer not null,
    used_ms integer,
    revoked_ms integer
) strict;

create index api_token_account on api_token (account_id, id);

-- Names -----------------------------------------------------------------------------------------------------------

-- What the login and display names of an account come down to when letters that look alike are one letter. Filled for
-- older accounts when the file is opened.
create table account_look (
    look text not null,
    account_id integer not null references account (id),
    primary key (look, account_id)
) strict, without rowid;

create index account_look_account on account_look (account_id);

-- Failed secret tests ---------------------------------------------------------------------------------------------

-- What contestants learn of a secret test that failed. A counterexample is not made yet; its word stands here so that
-- this table need not be made anew for it.
alter table contest add column failed_tests text not null default 'number'
    check (failed_tests in ('nothing', 'number', 'counterexample_after_end'));
