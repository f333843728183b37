-- Transfers that read a dataset until they end: others may read beside them, nobody may write, move or delete it. `datasets.locked_by` is
-- the one that writes. Both are taken under the dataset's row lock and given back in the statement that ends the transfer.

create table dataset_readers (
  dataset_id uuid not null references datasets on delete cascade,
  transfer_id uuid not null,
  primary key (dataset_id, transfer_id)
);
create index dataset_readers_transfer on dataset_readers (transfer_id);
create index datasets_locked on datasets (locked_by) where locked_by is not null;
-- lists ask for transfers of a dataset as input or output
create index transfers_output on transfers (output_dataset_id) where output_dataset_id is not null;

insert into dataset_readers (dataset_id, transfer_id)
select input_dataset_id, id from transfers
where input_dataset_id is not null and finished_at is null and input_dataset_id in (select id from datasets);
