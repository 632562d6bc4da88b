-- Taking part in a past contest: a team's own clock in it.

create table virtual_run (
    id integer not null primary key autoincrement,
    contest_id integer not null references contest (id),
    team_id integer not null references team (id),
    start_ms integer not null,
    unique (contest_id, team_id)
) strict;

-- What is handed in by that clock never counts in the contest itself.
alter table submission add column virtual_run_id integer references virtual_run (id);
create index submission_virtual_run on submission (virtual_run_id) where virtual_run_id is not null;
