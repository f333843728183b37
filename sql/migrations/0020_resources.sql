-- What transfers need of a worker, what workers have, and whose turn it is.

alter table transfers
  -- what it needs besides the least that every transfer needs, sorted, such as {label:gpu=a100,memory:4096}: the flags of its queue row
  add column flags text[] not null default '{}',
  -- its place in the order of weighted fair queueing: microseconds of a virtual clock
  add column turn bigint not null default 0 check (turn >= 0),
  drop column waiting_reason;
-- of transfers with the same needs the next one, and the distinct needs themselves
create index transfers_waiting on transfers (flags, turn, id) where status = 'Pending';
create index transfers_turns on transfers (tenant_id, turn) where finished_at is null;

-- The virtual clock: the turn of the transfer that was started last. A sequence, because nobody waits for another who sets it.
create sequence transfer_clock as bigint minvalue 0 start 0;
select setval('transfer_clock', 0);

-- The distinct needs of waiting transfers, as the sweep finds them every second, and why nobody starts them now; no reason: somebody can.
create table waiting_needs (
  flags text[] primary key,
  reason text
);

alter table workers
  add column scratch_gb integer not null default 0,
  -- the transfer it keeps room free for, taking no others
  add column holds_for uuid;
