-- Datasets of time series: their values are rows here, not bytes in the blob store.
alter table datasets alter column blob drop not null;
alter table datasets add constraint datasets_bytes check ((blob is null) = (dataset_format = 'ts'));

create table ts_datasets (
  dataset_id uuid primary key references datasets on delete cascade,
  -- properties that its series may have: [{name, dataType}]
  schema jsonb not null default '[]'
);

create table ts_series (
  key bigint generated always as identity primary key,
  dataset_id uuid not null references ts_datasets on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,128}$'),
  item jsonb not null,
  properties jsonb not null default '{}',
  data_fields jsonb not null default '[]',
  -- of its blocks: size in bytes, times in microseconds since 1970
  bytes bigint not null default 0,
  first bigint,
  last bigint,
  unique (dataset_id, id),
  check ((first is null) = (last is null) and (first is not null or bytes = 0))
);

-- Values of a series, packed by src/timeseries/block.ts. The intervals of a series' blocks do not overlap: each write holds the row lock of
-- the dataset.
create table ts_blocks (
  series_key bigint not null references ts_series on delete cascade,
  first bigint not null,
  last bigint not null,
  count integer not null check (count > 0),
  data bytea not null,
  primary key (series_key, first),
  check (first <= last)
);
-- compressed already
alter table ts_blocks alter column data set storage external;
