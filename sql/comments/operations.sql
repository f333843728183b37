comment on table mass_retries is
  'Orders of operators to retry all failed transfers of one kind. Workers carry them out step by step; the row is '
  'the truth.';
comment on column mass_retries.fingerprint is '`transfers.fingerprint` of the failures.';
comment on column mass_retries.max_transfers is 'Null: all.';
comment on column mass_retries.stop_on_fail is 'Stop when a retry fails.';
comment on column mass_retries.failed_until is
  'Later failures are left alone, so that nothing is retried twice by one order.';
comment on column mass_retries.after_time is
  'With `after_id`: the last transfer that was looked at, in the order of (finished_at, id).';
comment on column mass_retries.next_at is 'When the next retry is due.';
comment on column mass_retries.note is 'Why it was stopped.';

comment on table mass_retry_transfers is 'Results of mass retries: the new transfer, or why there is none.';
comment on column mass_retry_transfers.new_transfer_id is 'Null: refused.';
comment on column mass_retry_transfers.refusal is 'Why no transfer was started. Null: one was.';

comment on table drains is
  'Workers that start no more transfers: all, those of a host, or one pool. Each worker reads it, so it outlives '
  'restarts.';
comment on column drains.name is 'Host or pool; empty for the scope `all`.';
comment on column drains.account_id is 'Login id of the operator.';
comment on column drains.reason is 'What waiting transfers say, when new work is paused. Null: a drain.';

comment on table transfer_metrics is
  'Counters and histograms of ended transfers, summed from their events in the order of publication, so that each '
  'counts once. A histogram has a row for each bucket.';
comment on column transfer_metrics.upper is 'Upper bound of the bucket in seconds; infinity for counters.';

comment on table transfer_metrics_position is 'One row: up to which event `transfer_metrics` has counted.';
comment on column transfer_metrics_position."offset" is '`events.offset` of that event.';

comment on table maintenance_runs is 'The last run of each periodic job.';
comment on column maintenance_runs.failed is 'Items that it could not process. The next run tries them again.';
comment on column maintenance_runs.failures is 'The first of these items: [{part, item?, reason}].';
