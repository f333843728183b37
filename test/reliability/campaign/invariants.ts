/** Invariants after the end: a rule, and the statement that finds its violations. */
export interface Invariant {
  rule: string;
  violations: string;
}

/**
 * The test's own knowledge, put beside the platform's tables for the statements below.
 * `acknowledged`: submits that were answered; `stored`: what lies in the blob store after the sweep; `features`: what
 * is in the datasets that grow; `caused`: how often the test did what; `credits`: operations
 * that were answered, in millionths.
 */
export const KNOWLEDGE = `
  create table campaign.acknowledged (
    id uuid primary key, kind text, sha256 text, name text, dataset_id uuid, feature text, cancelled boolean,
    label text, memory_mb integer);
  create table campaign.stored (name text primary key, size bigint, sha256 text);
  create table campaign.features (dataset_id uuid, name text);
  create table campaign.caused (name text primary key, times integer);
  create table campaign.credits (operation text primary key, tenant uuid, reserved numeric, spent numeric, released numeric);`;

/** Keeps what is known of workers, whose rows go with them. Asked before the first one starts. */
export const WITNESS = `
  create schema campaign;
  create table campaign.workers (pool text primary key, labels text[], memory_mb integer);
  create function campaign.note() returns trigger language plpgsql as $$ begin
    insert into campaign.workers values (new.pool, new.labels, new.memory_mb);
    return null;
  end $$;
  create trigger note after insert on workers for each row execute function campaign.note();`;

/** What the commit says in the log. */
const DONE = `'^(Converted: |Copied: |Moved[.])'`;

/** Credits that the ledger has for each operation of a pool. */
const BOOKED = `(
  select pool_id, operation_id,
    count(distinct posting_id) filter (where kind = 'Reserve') as reservations,
    sum(amount) filter (where kind = 'Reserve' and account = 'Reserved') as reserved,
    sum(amount) filter (where kind = 'Spend' and account = 'Spent') as spent,
    sum(-amount) filter (where kind = 'Release' and account = 'Reserved') as released
  from credit_entries group by pool_id, operation_id) found`;

/** What the run of a transfer `t` cost, in whole millionths: nothing if it moved a dataset within two milliseconds. */
const COST = `greatest(0, round((t.price ->> 'fixed')::numeric
  + (t.price ->> 'perHour')::numeric * extract(epoch from t.finished_at - t.started_at) / 3600, 6))`;

export const INVARIANTS: readonly Invariant[] = [
  {
    rule: 'No acknowledged submit is lost.',
    violations: `select * from campaign.acknowledged where id not in (select id from transfers)`,
  },
  {
    rule: 'A submit that was sent again under its key starts nothing more.',
    violations: `select id, type, status from transfers where id not in (select id from campaign.acknowledged)`,
  },
  {
    rule: 'Every transfer ends.',
    violations: `select id, status, attempt, worker_pool from transfers where finished_at is null`,
  },
  {
    rule: 'A transfer fails only when it was cancelled, its conversion was killed twice, or it lost its worker nine times.',
    violations: `
      select id, error_message, worker_losses, child_deaths, outages from transfers left join campaign.acknowledged a using (id)
      where status = 'Error' and not (
        (error_message = 'Cancelled.' and a.cancelled)
        or (error_message like 'The conversion broke off 2 times%' and child_deaths = 1)
        or (error_message = 'The workers that ran this transfer were lost 9 times.' and worker_losses = 9))`,
  },
  {
    rule: 'What was acknowledged to be cancelled is not completed.',
    violations: `
      select id, status, error_message from transfers join campaign.acknowledged a using (id)
      where status = 'Completed' and a.cancelled`,
  },
  {
    rule: 'No conversion counts as broken off that the test did not kill.',
    violations: `
      select * from (
        select sum(child_deaths + (error_message like 'The conversion broke off%')::int) as broken_off from transfers) t
      where broken_off > (select coalesce(sum(times), 0) from campaign.caused where name = 'conversion killed')`,
  },
  {
    rule: 'An import or a conversion that is Completed made its one dataset.',
    violations: `
      select t.id, t.type, a.name, d.id as dataset_id, d.name as dataset from transfers t join campaign.acknowledged a using (id)
        left join datasets d on d.id = t.output_dataset_id
      where t.status = 'Completed' and t.type in ('Import', 'Conversion') and a.name is distinct from d.name`,
  },
  {
    rule: 'No dataset is there that no Completed transfer made.',
    violations: `
      select id, name from datasets
      where (select count(*) from transfers t
        where t.output_dataset_id = datasets.id and t.status = 'Completed' and t.type in ('Import', 'Conversion')
          and t.carry is distinct from 'move') <> 1`,
  },
  {
    rule: 'A dataset holds the bytes that the last transfer into it made.',
    violations: `
      select d.id, d.name, d.storage_size, s.size, s.sha256, last.id as transfer, last.kind, last.sha256 as wanted
      from datasets d left join campaign.stored s on s.name = d.blob
        left join lateral (
          select t.id, a.kind, coalesce(a.sha256, t.receipt->'output'->>'sha256') as sha256
          from transfers t join campaign.acknowledged a using (id)
          where t.output_dataset_id = d.id and t.status = 'Completed' and t.carry is distinct from 'move' order by t.finished_at desc limit 1) last on true
      where (s.sha256, s.size) is distinct from (last.sha256, d.storage_size)`,
  },
  {
    rule: 'A dataset changes exactly once with each transfer that writes or moves it.',
    violations: `
      select d.id, d.name, d.row_version, count(t.id) as times
      from datasets d left join transfers t on t.output_dataset_id = d.id and t.status = 'Completed'
        and (t.type in ('Update', 'Append') or t.carry = 'move')
      group by d.id having d.row_version <> 1 + count(t.id)`,
  },
  {
    rule: 'What an append adds is there once, and nothing else.',
    violations: `
      select * from (
        select dataset_id, name, count(*) as times from campaign.features group by 1, 2) found
      full join (
        select a.dataset_id, a.feature as name, id from campaign.acknowledged a join transfers using (id)
        where feature is not null and status = 'Completed') wanted using (dataset_id, name)
      where found.times is distinct from 1 or wanted.id is null`,
  },
  {
    rule: 'A dataset is where the last move took it.',
    violations: `
      select d.id, d.project_id, last.project_id as wanted from datasets d join lateral (
        select t.project_id from transfers t where t.output_dataset_id = d.id and t.carry = 'move' and t.status = 'Completed'
        order by t.finished_at desc limit 1) last on true
      where d.project_id <> last.project_id`,
  },
  {
    rule: 'An export that is Completed has its file.',
    violations: `
      select t.id, t.output_blob, s.sha256, a.sha256 as wanted from transfers t join campaign.acknowledged a using (id)
        left join campaign.stored s on s.name = t.output_blob
      where t.type = 'Export' and t.status = 'Completed' and s.sha256 is distinct from a.sha256`,
  },
  {
    rule: 'A receipt describes the bytes of the output.',
    violations: `
      select t.id, t.receipt->'output'->>'sha256' as told, a.sha256 from transfers t join campaign.acknowledged a using (id)
      where t.status = 'Completed' and t.receipt->'output'->>'sha256' <> a.sha256`,
  },
  {
    rule: 'Each tenant of a transfer gets one event of its start and one of its end, with the right outcome.',
    violations: `
      select t.id, t.carry, t.status, array_agg(e.type || ' ' || coalesce(e.data->>'Status', '')) as events
      from transfers t
        cross join lateral (select t.tenant_id union select t.source_tenant_id where t.source_tenant_id is not null) side
        left join events e on e.resource_id = t.id::text and e.tenant_id = side.tenant_id and e.type not like '%progressevent'
      group by t.id, side.tenant_id
      having array_agg(e.type || ' ' || (e.data->>'Status') order by e.id) is distinct from array[
        'svc.platform.events.transferstartedevent Pending', 'svc.platform.events.transferfinishedevent ' || t.status]`,
  },
  {
    rule: 'No other tenant gets events of a transfer.',
    violations: `
      select e.id, e.type, e.resource_id, e.tenant_id from events e
      where e.type like '%transfer%' and not exists (
        select from transfers t where t.id::text = e.resource_id and e.tenant_id in (t.tenant_id, t.source_tenant_id))`,
  },
  {
    rule: 'No event of a transfer follows its end.',
    violations: `
      select later.resource_id, later.type, later.time from events ending join events later using (resource_id, tenant_id)
      where ending.type like '%transferfinishedevent' and later.type like '%transfer%' and later.id > ending.id`,
  },
  {
    rule: 'The log of a Completed transfer says once that it is done, and nothing after it; that of a failed one ends with its sentence.',
    violations: `
      select t.id, t.status, t.error_message, array_agg(l.message order by l.id) as log
      from transfers t left join transfer_log l on l.transfer_id = t.id
      group by t.id
      having case t.status
        when 'Completed' then (array_agg(l.message order by l.id desc))[1] !~ ${DONE}
          or count(*) filter (where l.message ~ ${DONE}) <> 1 or count(*) filter (where l.level = 'error') <> 0
        when 'Error' then (array_agg(l.message order by l.id desc))[1] <> t.error_message
          or count(*) filter (where l.message ~ ${DONE}) <> 0 or count(*) filter (where l.level = 'error') <> 1
        else false end`,
  },
  {
    rule: 'No attempt starts twice, and each loss of a worker is logged once.',
    violations: `
      select t.id, t.attempt, t.worker_losses, array_agg(l.message order by l.id) as log
      from transfers t join transfer_log l on l.transfer_id = t.id
      group by t.id
      having count(*) filter (where l.message like 'Attempt %')
          <> count(distinct l.message) filter (where l.message like 'Attempt %')
        or count(*) filter (where l.message like 'The worker that ran %') <> t.worker_losses`,
  },
  {
    rule: 'What a transfer needs, the worker has that ran it.',
    violations: `
      select id, status, label, a.memory_mb, w.labels, w.memory_mb as of_worker
      from transfers join campaign.acknowledged a using (id) join campaign.workers w on w.pool = worker_pool
      where a.memory_mb > w.memory_mb
        or (label is not null and not exists (select from unnest(labels) has where has = label or has like label || '=%'))`,
  },
  {
    rule: 'No dataset stays locked.',
    violations: `
      select d.id::text, d.locked_by::text as by from datasets d where locked_by is not null
      union all select dataset_id::text, transfer_id::text from dataset_readers`,
  },
  {
    rule: 'Nothing stays in the queue, and nothing stays locked in it.',
    violations: `
      select job.id, key, locked_by, attempts, run_at, last_error, task.identifier
      from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = task_id
      where task.identifier = 'runTransfer' or job.locked_at is not null`,
  },
  {
    rule: 'No worker that has ended is taken for one that lives.',
    violations: `select pool, pid from workers`,
  },
  {
    rule: 'An acknowledged operation with credits took effect once, and wholly.',
    violations: `
      select c.*, found.* from campaign.credits c
        left join ${BOOKED} on found.operation_id = c.operation and found.pool_id = c.tenant
      where (c.reserved, c.spent, c.released) is distinct from
        (coalesce(found.reserved, 0) * 1e6, coalesce(found.spent, 0) * 1e6, coalesce(found.released, 0) * 1e6)`,
  },
  {
    rule: 'Nothing is booked for an operation that was not acknowledged, or for a transfer that is not there.',
    violations: `
      select distinct operation_id from credit_entries
      where operation_id is not null and operation_id not in (select operation from campaign.credits)
        and operation_id not in (select id::text from transfers where price is not null)`,
  },
  {
    rule: 'A transfer with a price reserved it once; its end spent what its run cost on success alone, and released the rest.',
    violations: `
      select t.id, t.status, t.price, found.* from transfers t
        left join ${BOOKED} on found.operation_id = t.id::text
      where t.price is not null and t.finished_at is not null and (
        found.pool_id is distinct from coalesce(t.source_tenant_id, t.tenant_id) or found.reservations <> 1
        or coalesce(found.spent, 0) + coalesce(found.released, 0) <> found.reserved
        or coalesce(found.spent, 0) <> case when t.status = 'Completed' then least(found.reserved, ${COST}) else 0 end)`,
  },
  {
    rule: 'No transfer that has ended holds credits.',
    violations: `
      select h.id, t.id as transfer, t.status from credit_holds h join transfers t on t.id::text = h.operation_id
      where h.is_open and t.finished_at is not null`,
  },
  {
    rule: 'No bytes are left that nothing names.',
    violations: `
      select name, size from campaign.stored s
      where not exists (select from datasets where blob = s.name) and not exists (select from staged_blobs where blob = s.name)
        and not exists (select from transfers where output_blob = s.name or bad_records_blob = s.name)`,
  },
];
