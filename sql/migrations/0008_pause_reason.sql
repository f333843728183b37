-- Why all workers were told to take no more work.

alter table drains
  add column reason text check (reason is null or (scope = 'all' and length(reason) <= 1000));
