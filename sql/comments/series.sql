comment on table ts_datasets is
  'Datasets of the format `ts`: time series with values in Postgres. A transfer inserts this row before that of '
  '`datasets`, hence the deferrable foreign key.';
comment on column ts_datasets.schema is 'Properties that its series may have: [{name, dataType}].';

comment on table ts_series is 'Series of a dataset.';
comment on column ts_series.id is 'Unique in the dataset; chosen by the client.';
comment on column ts_series.item is 'What the values are: name, type, unit.';
comment on column ts_series.data_fields is 'Further values of each time step.';
comment on column ts_series.bytes is 'Size of its blocks.';
comment on column ts_series.first is 'Time of its first value in microseconds since 1970, UTC. Null: no values.';
comment on column ts_series.last is 'Time of its last value in microseconds since 1970, UTC. Null: no values.';

comment on table ts_blocks is
  'Values of series in compressed blocks, packed by `src/files/formats/ts/block.ts`. The blocks of a series do not '
  'overlap: each write holds the lock of the dataset''s row.';
comment on column ts_blocks.first is 'Time of the first value in microseconds since 1970, UTC.';
comment on column ts_blocks.last is 'Time of the last value in microseconds since 1970, UTC.';
comment on column ts_blocks.count is 'Number of values.';
