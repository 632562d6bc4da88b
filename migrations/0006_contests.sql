-- Contests of one's own: who takes part, pauses, languages, practice after the end.

alter table contest add column version integer not null default 1 check (version >= 1); -- grows with every change
alter table contest add column paused_ms integer; -- since when its clock stands still
alter table contest add column access text not null default 'open' check (access in ('open', 'invitation'));
-- Allowed languages, ["c", ...]; null: all that the problem allows.
alter table contest add column languages text check (languages is null or json_valid(languages));
-- Whether its problems take submissions that don't count once it is over.
alter table contest add column practice_after integer not null default 0 check (practice_after in (0, 1));

-- Who is invited, or stands on the board of an open contest from the start.
create table contest_team (
    contest_id integer not null references contest (id),
    team_id integer not null references team (id),
    primary key (contest_id, team_id)
) strict, without rowid;

create index contest_team_team on contest_team (team_id);
