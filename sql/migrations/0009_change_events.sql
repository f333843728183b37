-- Events of changes of projects, datasets, members and credits. Triggers of `sql/functions/events.sql` write them.

alter table events
  add column transaction_id xid8,
  add column dataset_id uuid,
  add column former_readers uuid[];
create unique index events_changes on events (transaction_id, resource_id, type)
  where "offset" is null and transaction_id is not null;

create type entity_change as (
  noun text,
  verb text,
  resource_id text,
  tenant_id uuid,
  project_id uuid,
  dataset_id uuid,
  user_id uuid,
  row_version bigint,
  changed text[],
  former_readers uuid[]
);
