-- What was done to projects and datasets, and an index for what was made of a dataset.

create table activity (
  id bigint generated always as identity primary key,
  time timestamptz not null default clock_timestamp(),
  user_id uuid,
  action text not null,
  project_id uuid references projects on delete cascade,
  dataset_id uuid references datasets on delete cascade,
  subject_kind text not null check (subject_kind in ('project', 'dataset', 'account')),
  subject_id uuid not null,
  subject_name text,
  from_project_id uuid,
  to_project_id uuid,
  changed text[] not null default '{}',
  before jsonb not null default '{}',
  after jsonb not null default '{}',
  restricted boolean not null default false,
  transfer_id uuid,
  check (num_nonnulls(project_id, dataset_id) = 1)
);
create index activity_dataset on activity (dataset_id, id) where dataset_id is not null;
create index activity_project on activity (project_id) where project_id is not null;

create table activity_places (
  project_id uuid not null,
  activity_id bigint not null references activity on delete cascade,
  primary key (project_id, activity_id)
);
create index activity_places_activity on activity_places (activity_id);

-- what is known of the time before: creations, deletions, and members from the audit trail
insert into activity (time, user_id, action, project_id, dataset_id, subject_kind, subject_id, subject_name, changed, before, after)
select * from (
  select created_at, created_by, 'project.create', id, null::uuid, 'project', id, name, '{}'::text[], '{}'::jsonb, '{}'::jsonb from projects
  union all
  select created_at, created_by, 'dataset.create', null, id, 'dataset', id, name, '{}', '{}', '{}' from datasets
  union all
  select deleted_at, deleted_by, 'project.delete', id, null, 'project', id, name, '{}', '{}', '{}' from projects where deleted_at is not null
  union all
  select deleted_at, deleted_by, 'dataset.delete', null, id, 'dataset', id, name, '{}', '{}', '{}' from datasets where deleted_at is not null
  union all
  select a.time, (select user_id from accounts where folded_id = fold_name(a.account_id)), a.action, p.id, null, 'account',
    a.member_id, null, '{role}', coalesce(a.details -> 'before', '{}'), coalesce(a.details -> 'after', '{}')
  from (
    -- a conversion of any other entry would fail
    select *, case when is_member then (details ->> 'projectId')::uuid end as project_id, case when is_member then subject::uuid end as member_id
    from (
      select *, action in ('project.member.set', 'project.member.remove') and subject ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
        and details ->> 'projectId' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' as is_member
      from audit) entries) a
  join projects p on p.id = a.project_id
) known (time)
order by time;
insert into activity_places (project_id, activity_id)
select unnest(p.path), a.id
from activity a left join datasets d on d.id = a.dataset_id join projects p on p.id = coalesce(a.project_id, d.project_id);

create index transfer_inputs_dataset on transfer_inputs (dataset_id) where dataset_id is not null;
