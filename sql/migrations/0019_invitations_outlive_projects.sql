-- Invitations of purged projects count for the limits of a day: they stay, without their project.

alter table project_invitations
  alter column project_id drop not null,
  drop constraint project_invitations_project_id_fkey,
  add constraint project_invitations_project_id_fkey foreign key (project_id) references projects (id) on delete set null;
