-- The staff's desk: rejudgings that are looked at before they count, people and where they belong, the log's paths.

-- Rejudgings ------------------------------------------------------------------------------------------------------

-- Who began it may be nobody: the command line. SQLite loosens a column only by making it anew.
alter table rejudging add column actor_id integer references account (id);
update rejudging set actor_id = created_by;
alter table rejudging drop column created_by;
alter table rejudging rename column actor_id to created_by;

alter table rejudging add column scope text not null default '{}' check (json_valid(scope)); -- what was chosen
alter table rejudging add column left_out integer not null default 0 check (left_out >= 0); -- waited already
alter table rejudging add column closed_ms integer; -- applied or dropped
alter table rejudging add column closed_by integer references account (id);
alter table rejudging add column undone_ms integer; -- applied once, and taken back

-- Which judgement took which one's place when a rejudging was applied: what taking it back restores.
create table rejudging_change (
    rejudging_id integer not null references rejudging (id),
    submission_id integer not null references submission (id),
    before_id integer not null references judgement (id),
    after_id integer not null references judgement (id),
    primary key (rejudging_id, submission_id)
) strict, without rowid;

-- A judgement that once counted stays readable for its author.
create index rejudging_change_before on rejudging_change (before_id);
create index rejudging_change_after on rejudging_change (after_id);

-- How many were judged with older tests.
create index judgement_test_set on judgement (test_set_id) where valid = 1;

-- Teams -----------------------------------------------------------------------------------------------------------

-- CLICS `organizations`: universities, schools, companies.
create table organization (
    id integer not null primary key autoincrement,
    external_id text not null unique check (length(external_id) between 1 and 64),
    icpc_id text,
    name text not null check (length(name) > 0),
    formal_name text,
    country text, -- ISO 3166-1 alpha-3
    created_ms integer not null
) strict;

-- CLICS `groups`: what ranks apart, such as regions, guests, staff.
create table team_group (
    id integer not null primary key autoincrement,
    external_id text not null unique check (length(external_id) between 1 and 64),
    icpc_id text,
    name text not null check (length(name) > 0),
    hidden integer not null default 0 check (hidden in (0, 1)),
    created_ms integer not null
) strict;

create table team_in_group (
    team_id integer not null references team (id),
    group_id integer not null references team_group (id),
    primary key (team_id, group_id)
) strict, without rowid;

create index team_in_group_group on team_in_group (group_id, team_id);

alter table team add column external_id text check (length(external_id) between 1 and 64);
alter table team add column icpc_id text;
alter table team add column label text;
alter table team add column organization_id integer references organization (id);
create unique index team_external on team (external_id) where external_id is not null;

-- People ----------------------------------------------------------------------------------------------------------

create index account_role_name on account (role, name);
create index account_disabled on account (name) where disabled = 1;

-- Lets so many register while registration is by invitation. The token is in the link; only its hash is kept.
create table invitation (
    id integer not null primary key autoincrement,
    token_sha256 blob not null unique check (length(token_sha256) = 32),
    note text not null,
    places integer not null check (places >= 1),
    used integer not null default 0 check (used between 0 and places),
    expires_ms integer not null,
    revoked_ms integer,
    created_ms integer not null,
    created_by integer references account (id)
) strict;

-- Files of accounts and teams that are looked at before they are taken. They may hold passwords: they go when they are
-- taken or dropped, and with the next one after an hour.
create table roster_import (
    id integer not null primary key autoincrement,
    files text not null check (json_valid(files)), -- [{"name": ..., "text": ...}, ...]
    created_ms integer not null,
    created_by integer references account (id)
) strict;

-- Questions -------------------------------------------------------------------------------------------------------

-- How fast a team asks.
create index clarification_team on clarification (from_team_id, created_ms) where from_team_id is not null;

-- The log ---------------------------------------------------------------------------------------------------------

create index audit_actor on audit (actor_id, id);
create index audit_act on audit (act, id);
create index audit_subject on audit (subject, id);
