-- What programs may do for the staff.

-- Whether a token allows the acts of its account's role: managing problems, tests, people, rejudgings.
alter table api_token add column may_manage integer not null default 0 check (may_manage in (0, 1));
