-- Problems' limits, measured anew on each kind of machine that judges.

-- What kind of machine it is: tools, sandbox, processor, speed. Null: it has not said who it is since kinds are told apart.
alter table worker add column kind blob check (kind is null or length(kind) = 32);

-- What went wrong on it last, and when.
alter table worker add column trouble text;
alter table worker add column trouble_ms integer;

-- The kind of machine on which it measures a limit that is in force; null: it looks at the package.
alter table verification add column of_kind blob check (of_kind is null or length(of_kind) = 32);

-- How a problem's limit fits a kind of machine.
create table host_fit (
    package_id integer not null references package (id),
    test_set_id integer not null references test_set (id),
    kind blob not null check (length(kind) = 32),
    verification_id integer not null references verification (id), -- that measures it, or has measured it
    state text not null check (state in ('measuring', 'fits', 'too_slow', 'too_fast', 'not_accepted', 'not_measured')),
    limit_ms integer check (limit_ms > 0), -- in force when it was measured
    least_ms integer check (least_ms >= 0), -- the least limit that the accepted programs ask for there
    most_ms integer check (most_ms >= 0), -- the most that the too slow ones allow there; null: there is none
    primary key (package_id, test_set_id, kind)
) strict, without rowid;

create index host_fit_verification on host_fit (verification_id);

-- The machine on which it failed last: it goes elsewhere first.
alter table job add column failed_on text;
