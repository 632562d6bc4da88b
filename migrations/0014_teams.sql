-- Teams, groups and organizations are looked up and listed by admins.

create index team_organization on team (organization_id) where organization_id is not null;
create index organization_name on organization (name, external_id);
create index team_group_name on team_group (name, external_id);
