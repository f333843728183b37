import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';
import { component, createdAt, createdBy, finishedAt, flag, number, text, uuidText } from '../../http/rules/members.ts';

export interface NewMassRetry {
  fingerprint: string;
  perSecond: number;
  limit?: number | undefined;
  stopOnFail: boolean;
}

const Id = z.object({ id: z.string() });

/** Null if a mass retry of this fingerprint is running. */
export const insertMassRetry = (
  tx: Transaction,
  { fingerprint, perSecond, limit, stopOnFail }: NewMassRetry,
  by: { userId: string; accountId: string; requestId: string },
) =>
  tx.maybeOneFirst(sql.write(Id)`
    insert into mass_retries (fingerprint, per_second, max_transfers, stop_on_fail, created_by, account_id, request_id)
    values (${fingerprint}, ${perSecond}, ${limit ?? null}, ${stopOnFail}, ${by.userId}, ${by.accountId}, ${by.requestId})
    on conflict (fingerprint) where state = 'Running' do nothing
    returning id`);

/** Id of the running mass retry of a fingerprint. */
export const findRunning = (db: Reads, fingerprint: string) =>
  db.maybeOneFirst(sql.type(Id)`select id from mass_retries where fingerprint = ${fingerprint} and state = 'Running'`);

/** A mass retry with its results. */
export const MassRetry = component('MassRetry', {
  id: uuidText('Id of the mass retry.'),
  fingerprint: text('Id of a group of failures with the same message.', '9c1185a5c5e9fc54'),
  perSecond: number('Number of retries per second.'),
  limit: number('Maximum number of retries.', 1000).optional(),
  stopOnFail: flag('Whether the first retry that fails stops the rest.'),
  state: z.enum(['Running', 'Done', 'Stopped']).describe('State of the mass retry.'),
  note: text('Why the mass retry was stopped.').optional(),
  createdAt,
  createdBy,
  accountId: text('Login id of the administrator who started it.', 'ann'),
  finishedAt: finishedAt.optional(),
  started: number('Number of started retries.'),
  completed: number('Number of completed retries.'),
  failed: number('Number of failed retries.'),
  refused: number('Number of retries that could not be started.'),
  refusal: text('Why the first refused retry could not be started.').optional(),
});
export type MassRetry = z.infer<typeof MassRetry>;
const massRetries = (where: Fragment) => sql.fragment`
  select o.id, o.fingerprint, o.per_second, o.max_transfers as limit, o.stop_on_fail, o.state, o.note, o.created_at, o.created_by,
    o.account_id, o.finished_at, n.*
  from mass_retries o cross join lateral (
    select count(m.new_transfer_id) as started, count(m.refusal) as refused,
      count(*) filter (where s.status = 'Completed') as completed, count(*) filter (where s.status = 'Error') as failed,
      (array_agg(m.refusal order by m.transfer_id) filter (where m.refusal is not null))[1] as refusal
    from mass_retry_transfers m left join transfers s on s.id = m.new_transfer_id where m.retry_id = o.id) n
  ${where} order by o.created_at desc, o.id desc`;

export const findMassRetry = (db: Reads, id: string) =>
  db.maybeOne(sql.type(MassRetry)`${massRetries(sql.fragment`where o.id = ${id}`)}`);

/** Mass retries, newest first. */
export const listMassRetries = (db: Reads, limit: number) =>
  db.any(sql.type(MassRetry)`${massRetries(sql.fragment``)} limit ${limit}`);

export const Due = z.object({
  id: z.string(),
  fingerprint: z.string(),
  stopOnFail: z.boolean(),
  left: z.boolean(),
  requestId: z.string(),
});
export type Due = z.infer<typeof Due>;

/** Locks a mass retry whose next step is due, for this transaction. */
export const lockDue = (tx: Transaction) =>
  tx.maybeOne(sql.write(Due)`
    select id, fingerprint, stop_on_fail, request_id,
      (max_transfers is null or max_transfers > (select count(new_transfer_id) from mass_retry_transfers where retry_id = mass_retries.id)) as left
    from mass_retries where state = 'Running' and next_at <= now() order by next_at limit 1 for update skip locked`);

export const isAnyDue = (db: Reads) =>
  db.exists(sql.unsafe`select from mass_retries where state = 'Running' and next_at <= now()`);

/** A transfer that this mass retry started and that failed with the same fingerprint. */
export const findRepeatedFailure = (tx: Transaction, { id, fingerprint }: Pick<Due, 'id' | 'fingerprint'>) =>
  tx.maybeOneFirst(sql.type(Id)`
    select s.id from mass_retry_transfers m join transfers s on s.id = m.new_transfer_id
    where m.retry_id = ${id} and s.fingerprint = ${fingerprint} limit 1`);

/** The next failed transfer without a retry. */
export const findNext = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(Id)`
    select t.id from mass_retries o join transfers t on t.fingerprint = o.fingerprint
    where o.id = ${id} and (t.finished_at, t.id) > (o.after_time, o.after_id) and t.finished_at <= o.failed_until
      and not exists (select from transfers r where r.retry_of = t.id)
    order by t.finished_at, t.id limit 1`);

/**
 * Records the outcome of a step and schedules the next one. After a pause, the rate stays the same; missed steps are
 * not made up.
 */
export const recordStep = (
  tx: Transaction,
  id: string,
  transferId: string,
  outcome: { startedId: string } | { refusal: string },
) =>
  tx.query(sql.unsafe`
    with noted as (
      insert into mass_retry_transfers (retry_id, transfer_id, new_transfer_id, refusal)
      values (${id}, ${transferId}, ${'startedId' in outcome ? outcome.startedId : null},
        ${'refusal' in outcome ? outcome.refusal : null}))
    update mass_retries o set after_time = t.finished_at, after_id = t.id,
      next_at = greatest(o.next_at, now() - interval '1 second') + 1 / o.per_second * interval '1 second'
    from transfers t where o.id = ${id} and t.id = ${transferId}`);

export const endMassRetry = (tx: Transaction, id: string, state: 'Done' | 'Stopped', note?: string) =>
  tx.maybeOneFirst(sql.write(Id)`
    update mass_retries set state = ${state}, note = ${note ?? null}, finished_at = now()
    where id = ${id} and state = 'Running' returning id`);
