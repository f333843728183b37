import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { component, finishedAt, flag, number, timeText, uuidText } from '../../http/rules/members.ts';

/** A run over all blobs, over those that were not checked for some time, or over a sample. */
export const Verification = component('BlobVerification', {
  id: uuidText('Id of the verification.'),
  startedAt: timeText('Start time, UTC.'),
  finishedAt: finishedAt.optional(),
  sample: flag('Whether it checks a sample of the blobs.'),
  totalBlobs: number('Number of blobs to check.', 12000),
  checkedBlobs: number('Number of blobs that were checked.', 4000),
  checkedBytes: number('Number of bytes that were read.', 73400320),
  problems: number('Number of damaged and missing blobs that it found.'),
});
export type Verification = z.infer<typeof Verification>;

const columns = sql.fragment`
  id, started_at, finished_at, names is not null as sample, total as total_blobs, checked as checked_blobs, bytes as checked_bytes, problems`;

/** The running verification, else the last one. Null: there was none. */
export const findVerification = (db: Reads) =>
  db.maybeOne(sql.type(Verification)`select ${columns} from blob_verification`);

/**
 * What a verification checks: all blobs, or `sample` of them by chance, that were not checked for `unchecked`
 * milliseconds.
 */
export interface Scope {
  unchecked: number;
  sample?: number | undefined;
}

/** Starts a verification and forgets the last one. Null: another one runs. */
export const startVerification = (tx: Transaction, { unchecked, sample }: Scope) =>
  tx.maybeOne(sql.write(Verification)`
    with due as (select now() - ${unchecked} * interval '1 millisecond' as before),
    chosen as (
      select array(
        select name from (select distinct name from named_blobs) n order by random() limit ${sample ?? 0}) as names
      where ${sample !== undefined})
    insert into blob_verification as v (id, due_before, names, total)
    select gen_random_uuid(), due.before, chosen.names,
      coalesce(cardinality(chosen.names), (
        select count(distinct n.name) from named_blobs n left join blob_digests b on b.name = n.name
        where b.checked_at is null or b.checked_at < due.before))
    from due left join chosen on true
    on conflict (one) do update set id = excluded.id, started_at = now(), finished_at = null, due_before = excluded.due_before,
      names = excluded.names, cursor = '', total = excluded.total, checked = 0, bytes = 0, problems = 0
    where v.finished_at is not null
    returning ${columns}`);

const Next = z.object({ name: z.string() });
const Running = z.object({ id: z.string(), cursor: z.string() });

export const findRunning = (db: Reads) =>
  db.maybeOne(sql.type(Running)`select id, cursor from blob_verification where finished_at is null`);

/** The next blobs of the running verification, by name. */
export const listNext = (db: Reads, cursor: string, limit: number) =>
  db.anyFirst(sql.type(Next)`
    select distinct n.name
    from blob_verification v, named_blobs n left join blob_digests b on b.name = n.name
    where n.name > ${cursor}
      and case when v.names is null then b.checked_at is null or b.checked_at < v.due_before else n.name = any(v.names) end
    order by n.name limit ${limit}`);

/** Records progress. False: another process has gone on with this verification, or started another one. */
export async function advance(
  tx: Transaction,
  { id, cursor }: z.infer<typeof Running>,
  done: { cursor: string; checked: number; bytes: number; problems: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    update blob_verification set cursor = ${done.cursor}, checked = checked + ${done.checked}, bytes = bytes + ${done.bytes}::bigint,
      problems = problems + ${done.problems}
    where id = ${id} and cursor = ${cursor} and finished_at is null`);
  return rowCount === 1;
}

export const finishVerification = (tx: Transaction, id: string) =>
  tx.query(
    sql.unsafe`update blob_verification set finished_at = now(), total = checked where id = ${id} and finished_at is null`,
  );
