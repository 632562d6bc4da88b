-- What outlives a server that ends.

-- How often the whole server ended in the middle of this job: one that did so again and again may be the cause.
alter table job add column interruptions integer not null default 0 check (interruptions >= 0);
