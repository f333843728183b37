-- Invitations to projects, by e-mail address or login id.

create table project_invitations (
  id uuid primary key default uuidv7(),
  project_id uuid not null references projects (id) on delete cascade,
  email text check (length(email) between 1 and 254),
  login_id text check (length(login_id) between 1 and 255),
  user_id uuid references accounts (user_id) on delete set null,
  role text not null check (role in ('Owner', 'Contributor', 'Reader')),
  created_at timestamptz not null default now(),
  created_by uuid not null,
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid,
  ended_at timestamptz,
  ended_by uuid,
  check (num_nonnulls(email, login_id) = 1),
  check (user_id is null or login_id is not null),
  check ((accepted_at is null) = (accepted_by is null)),
  check (ended_by is null or ended_at is not null),
  check (num_nonnulls(accepted_at, ended_at) <= 1)
);
create index project_invitations_project on project_invitations (project_id, created_at desc, id desc);
create index project_invitations_created_by on project_invitations (created_by, created_at);
create index project_invitations_recipient on project_invitations (lower(email), created_at);
create index project_invitations_user on project_invitations (user_id);
create unique index project_invitations_email on project_invitations (project_id, lower(email))
  where accepted_at is null and ended_at is null;
create unique index project_invitations_login_id on project_invitations (project_id, fold_name(login_id))
  where accepted_at is null and ended_at is null;

create table project_invitation_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  invitation_id uuid not null references project_invitations (id) on delete cascade
);
create index project_invitation_tokens_invitation on project_invitation_tokens (invitation_id);

alter table account_mails
  drop constraint account_mails_kind_check,
  drop constraint account_mails_check,
  add constraint account_mails_kind_check
    check (kind in ('activation', 'passwordReset', 'passwordResetAsked', 'idTaken', 'invitation')),
  add constraint account_mails_check check (case
    when kind in ('idTaken', 'invitation') then recipient is not null and identifier is not null
    when kind = 'passwordResetAsked' then identifier is not null
    else user_id is not null end);
