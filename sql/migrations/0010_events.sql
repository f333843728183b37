-- What happens to events after they were written: they are published, read, and delivered to webhooks.

-- An event gets its offset when it is published, by one process at a time and after its transaction has committed. Numbered when it is
-- written it could come into sight behind later ones, and whoever asks for what is after those would never see it.
alter table events drop constraint events_pkey;
alter table events drop constraint events_id_key;
alter table events add primary key (id);
alter table events alter "offset" drop identity;
alter table events alter "offset" drop not null;
drop index events_project;
create unique index events_published on events ("offset") where "offset" is not null;
create index events_unpublished on events (id) where "offset" is null;
create sequence event_offsets owned by events."offset";
select setval('event_offsets', max("offset")) from events having count("offset") > 0;

-- Events outlive the project they tell of: who could read it until it was removed may read them still. Kept as long as events are.
create table gone_projects (
  id uuid primary key,
  member_source_id uuid not null,
  gone_at timestamptz not null default now()
);
create table gone_members (
  project_id uuid not null,
  user_id uuid not null references accounts on delete cascade,
  gone_at timestamptz not null default now(),
  primary key (project_id, user_id)
);
create index gone_members_user on gone_members (user_id);

create function remember_project() returns trigger language plpgsql as $$
begin
  insert into gone_projects (id, member_source_id) values (old.id, old.member_source_id) on conflict do nothing;
  if old.member_source_id = old.id then
    insert into gone_members (project_id, user_id)
    select project_id, user_id from project_members where project_id = old.id on conflict do nothing;
  end if;
  return old;
end $$;
create trigger projects_gone before delete on projects for each row execute function remember_project();

create table webhooks (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants on delete cascade,
  url text not null check (length(url) between 1 and 2048),
  -- empty: all
  types text[] not null,
  -- signs what is delivered, so it is kept as it is; no answer but that of the creation shows it
  secret bytea not null check (length(secret) between 24 and 64),
  -- the last attempt failed: fewer at once
  failing boolean not null default false,
  created_at timestamptz not null default now(),
  created_by uuid not null
);
create index webhooks_tenant on webhooks (tenant_id, id);

-- One per webhook and event, written with the event's offset.
create table deliveries (
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null references events on delete cascade,
  state text not null default 'Pending' check (state in ('Pending', 'Delivered', 'Failed')),
  attempts integer not null default 0,
  -- when the next attempt is due; of one under way, when it counts as lost
  next_at timestamptz default now(),
  -- pool of the worker that has an attempt under way
  worker text,
  -- raised by each claim and each replay: who was overtaken writes nothing
  claim integer not null default 0,
  -- of the last attempt
  status integer,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (webhook_id, event_id),
  check ((state = 'Pending') = (next_at is not null)),
  check (worker is null or state = 'Pending')
);
create index deliveries_due on deliveries (webhook_id, next_at, event_id) where state = 'Pending';
create index deliveries_next on deliveries (next_at) where state = 'Pending';
create index deliveries_under_way on deliveries (webhook_id) where worker is not null;
create index deliveries_event on deliveries (event_id);
