-- Changed tests count only once they are verified; until then the version that counts stays as it is.

-- Whether it is still to be seen if these tests keep what their package promises. The newest waiting version is verified;
-- an older one only when that one is refused.
alter table test_set add column waits integer not null default 0 check (waits in (0, 1));

-- The version in force from which these tests were carried over or changed; null: there was none.
alter table test_set add column made_from integer references test_set (id);

create index test_set_waiting on test_set (problem_id, id) where waits = 1;
