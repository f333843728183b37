comment on table credit_pools is
  'The credits of a tenant. The row is the lock of the pool and the end of its chain of entries. No foreign key: '
  'the ledger outlives its tenant. The trigger `commits` fills `credit_commits`.';
comment on column credit_pools.id is '`tenants.id`; the nil UUID is the generic pool.';
comment on column credit_pools.last_seq is '`credit_entries.seq` of the last entry.';
comment on column credit_pools.last_hash is '`credit_entries.hash` of the last entry.';
comment on column credit_pools.commit_before is
  'The last posting used credits that expire then, so it must be committed before. Null: no limit.';

comment on table credit_lots is
  'What one addition or one move put into a pool. Its parts sum to `amount`. Follows the entries; `credit verify` '
  'compares them.';
comment on column credit_lots.expires_at is 'Unusable from this instant on.';
comment on column credit_lots.expires_text is '`expires_at` as the client wrote it.';
comment on column credit_lots.source_id is 'The lot that the credits were moved from. Null: they were added.';
comment on column credit_lots.available is 'Can be reserved and spent.';
comment on column credit_lots.reserved is 'In holds that are open.';
comment on column credit_lots.moved is 'Now in lots of other pools.';
comment on column credit_lots.warned_days is
  'Days before the expiry for which the last warning event was written: 30, 14 or 3. Null: none yet.';
comment on column credit_lots.is_open is 'Whether anything is available or reserved.';

comment on table credit_holds is
  'Credits of one lot that are reserved for an operation. All holds of an operation are one reservation. Follows '
  'the entries.';
comment on column credit_holds.operation_id is
  'Chosen by the client; for the price of a transfer, the id of the transfer.';
comment on column credit_holds.amount is 'Reserved at first; what is left is `amount - spent - released`.';
comment on column credit_holds.released is 'Returned to the lot, or expired.';

comment on table credit_entries is
  'The double-entry ledger, which is the truth: rows are only inserted. Entries of a posting have one `posting_id` '
  'and sum to zero. Functions of `sql/functions/credits.sql` write it.';
comment on column credit_entries.seq is 'Position in the pool, from 1 without gaps.';
comment on column credit_entries.account is '`Issued` is the other side of what was added.';
comment on column credit_entries.amount is 'Credits with six decimals; negative: leaves the account.';
comment on column credit_entries.lot_id is '`credit_lots.id`; the trigger `sums` checks it instead of a foreign key.';
comment on column credit_entries.hold_id is '`credit_holds.id`. Null: the posting has no reservation.';
comment on column credit_entries.hash is 'SHA-256 of the hash of the entry before it in the pool, and of this entry.';

comment on table credit_commits is
  'Times of commits, so that balances in the past count what could be seen then. Rows are only inserted, by the '
  'trigger `commits` of `credit_pools`.';
comment on column credit_commits.seq is 'The entries of the pool up to this one were committed at that time.';
