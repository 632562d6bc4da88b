-- A second step when staff log in: codes of an authenticator app (RFC 6238), and codes for when it is lost.

create table second_step (
    account_id integer not null primary key references account (id),
    secret blob not null check (length(secret) = 20),
    confirmed_ms integer, -- null: no code of it was given yet, so nothing is asked for
    used_step integer not null default 0, -- codes of this step and earlier ones are used up
    created_ms integer not null
) strict;

create table recovery_code (
    account_id integer not null references account (id),
    code_sha256 blob not null check (length(code_sha256) = 32),
    used_ms integer,
    primary key (account_id, code_sha256)
) strict, without rowid;

-- Who gave the right password and owes the code. Only the hash of the cookie's token is kept.
create table half_log_in (
    token_sha256 blob not null primary key check (length(token_sha256) = 32),
    account_id integer not null references account (id),
    expires_ms integer not null
) strict, without rowid;

create index half_log_in_account on half_log_in (account_id);
create index half_log_in_expires on half_log_in (expires_ms);
