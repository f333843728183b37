-- Files and datasets that a transfer reads besides its first input.

create table transfer_inputs (
  transfer_id uuid not null references transfers (id) on delete cascade,
  number int not null check (number > 0),
  key text,
  staged_blob text references staged_blobs (name),
  source_id uuid,
  dataset_id uuid,
  primary key (transfer_id, number),
  constraint transfer_inputs_one check (num_nonnulls(staged_blob, source_id, dataset_id) = 1)
);
create index transfer_inputs_staged on transfer_inputs (staged_blob) where staged_blob is not null;
create index transfer_inputs_source on transfer_inputs (source_id) where source_id is not null;
