-- A rolling upgrade was seen in the metrics alone.
alter table workers add version text, add commit_id text;
