-- What a problem's points are the best of, in a contest of points: whole submissions or, group by group, of all of them.
alter table contest add column points_from text not null default 'submissions'
    check (points_from in ('submissions', 'groups'));

-- Throughput is counted from the index alone.
drop index judgement_end;
create index judgement_end on judgement (end_ms, verdict) where end_ms is not null;
