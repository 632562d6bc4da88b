-- Machines that judge for this server.

create table worker (
    name text not null primary key check (length(name) between 1 and 32),
    state text not null default 'active' check (state in ('active', 'draining', 'forbidden')),
    version text not null,
    slots integer not null check (slots >= 0),
    refused text, -- why it gets no jobs although nobody forbids it; a sentence for the staff
    measure text not null check (json_valid(measure)), -- what it judges with and how fast it is
    clock_ahead_ms integer not null, -- how far its clock is before this one
    first_seen_ms integer not null,
    last_seen_ms integer not null
) strict;

-- Whether its submissions are judged only where the tools are the server's own, version for version.
alter table contest add column equal_toolchains integer not null default 0 check (equal_toolchains in (0, 1));
