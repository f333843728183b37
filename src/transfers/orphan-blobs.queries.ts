import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const Name = z.object({ name: z.string() });

/** Of these names in the store, those that no row of any table gives to anything. Every table that names bytes must stand here. */
export const listUnnamed = (db: Db, names: readonly string[]) =>
  db.anyFirst(sql.type(Name)`
    select stored.name from unnest(${sql.array(names, 'text')}) as stored (name)
    where not exists (select from datasets d where d.blob = stored.name)
      and not exists (select from staged_blobs s where s.blob = stored.name)
      and not exists (select from transfers t where t.type = 'Export' and t.output_blob = stored.name)
      and not exists (select from transfers t where t.bad_records_blob = stored.name)
      -- of a run that was stopped between storing and committing, for however long
      and not exists (
        select from transfers t
        where t.status = 'InProgress' and (stored.name like '%/' || t.id || '-' || t.attempt or stored.name like '%/' || t.id || '-' || t.attempt || '-bad'))`);

/** Of a staged file `s`: no transfer needs it any more. One that ended may be tried again for a day. */
const unneeded = sql.fragment`not exists (
  select from transfers t
  where t.staged_blob = s.name and (t.finished_at is null or t.finished_at > now() - interval '24 hours'))`;

/**
 * Takes the bytes from staged files that have been past their day, or deleted, for an hour and that no transfer needs any more. The hour is
 * for those who found the file just before. Says how many it looked at. They are locked first, as addresses of remote files are.
 */
export const releaseStaged = (db: Db, most: number): Promise<number> =>
  db.transaction(async (tx) => {
    const names = await tx.anyFirst(sql.type(Name)`
      select name from staged_blobs s
      where blob is not null and least(expires_at, deleted_at) < now() - interval '1 hour' and ${unneeded}
      limit ${most} for update skip locked`);
    await tx.query(sql.unsafe`
      update staged_blobs s set blob = null, size = null where name = any(${sql.array(names, 'text')}) and ${unneeded}`);
    return names.length;
  });

/** Forgets places that are past their day, hold nothing, and were never named. */
export async function forgetStaged(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    delete from staged_blobs
    where name in (
      select name from staged_blobs s
      where blob is null and expires_at < now() - interval '1 hour'
        and not exists (select from transfers t where t.staged_blob = s.name)
      limit ${most})`);
  return rowCount;
}

/** Takes the files from exports that were made for downloading more than seven days ago. */
export async function releaseExports(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    update transfers set output_blob = null
    where id in (
      select id from transfers
      where type = 'Export' and output_blob is not null and finished_at < now() - interval '7 days'
      limit ${most})`);
  return rowCount;
}

/** Takes the places of skipped records from transfers that ended more than seven days ago. */
export async function releaseBadRecords(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    update transfers set bad_records_blob = null
    where id in (
      select id from transfers
      where bad_records_blob is not null and finished_at < now() - interval '7 days'
      limit ${most})`);
  return rowCount;
}
