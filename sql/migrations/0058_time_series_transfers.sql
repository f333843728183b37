-- A transfer inserts the series of a new dataset before the dataset, whose row is the last thing that it writes.
alter table ts_datasets alter constraint ts_datasets_dataset_id_fkey deferrable initially immediate;
