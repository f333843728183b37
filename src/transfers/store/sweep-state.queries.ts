import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { number, text } from '../../http/rules/members.ts';

const Allowance = z.object({ confirmAll: z.boolean(), confirmed: z.number().optional() });

/** The confirmed number of unknown blobs, and whether every unknown blob needs confirmation. */
export const getAllowance = (db: Reads) => db.one(sql.type(Allowance)`select confirm_all, confirmed from blob_store`);

/** Numbers of blobs of a sweep; unknown ones were never referenced by this database. */
export interface Counted {
  all: number;
  allBytes: number;
  unknown: number;
  unknownBytes: number;
}

/** Records that a sweep kept the unknown blobs, and why. */
export const setStopped = (tx: Transaction, because: string, { all, allBytes, unknown, unknownBytes }: Counted) =>
  tx.query(sql.unsafe`
    update blob_store set stopped_because = ${because}, stopped_at = coalesce(stopped_at, now()), swept_at = now(),
      all_blobs = ${all}, all_bytes = ${allBytes}, unknown_blobs = ${unknown}, unknown_bytes = ${unknownBytes},
      -- a confirmation may have come while this sweep was listing blobs
      confirmed = case when confirmed >= ${unknown}::bigint then confirmed end`);

/** Records a finished sweep, which uses up the confirmation. */
export const setSwept = (tx: Transaction, all: number, allBytes: number) =>
  tx.query(sql.unsafe`
    update blob_store set stopped_because = null, stopped_at = null, swept_at = now(), all_blobs = ${all}, all_bytes = ${allBytes}, unknown_blobs = 0,
      unknown_bytes = 0, confirm_all = confirm_all and confirmed is null, confirmed = null`);

export const SweepState = z.object({
  place: text('The bucket with its folder, or the folder of the machine that started last').optional(),
  sweptAt: text('Time of the last sweep, UTC.', '2026-01-24T08:23:02.4350000').optional(),
  stoppedAt: text('Time since which the sweep keeps unknown blobs, UTC.', '2026-01-24T08:23:02.4350000').optional(),
  stoppedBecause: text('Why the last sweep deleted no unknown blobs, and what to do.').optional(),
  allBlobs: number(
    'Number of blobs in the last sweep; before the first one, of those that the database has as content.',
    12000,
  ),
  allBytes: number('Size in bytes of the blobs that the last sweep found, before it deleted any.'),
  unknownBlobs: number('Number of blobs that the sweep kept because this database has never referenced them.'),
  unknownBytes: number('Size of the unknown blobs in bytes.'),
  confirmed: number('Number of unknown blobs that the next sweep may delete').optional(),
});
export type SweepState = z.infer<typeof SweepState>;

/** Null: no process has opened the store yet. */
export const findSweepState = (db: Reads) =>
  db.maybeOne(sql.type(SweepState)`
    select place, swept_at, stopped_at, stopped_because, all_blobs, all_bytes, unknown_blobs, unknown_bytes, confirmed from blob_store`);

/**
 * Allows the next sweep to delete as many unknown blobs as the last one found. Null: no sweep waits for a confirmation.
 */
export const confirmSweep = (tx: Transaction) =>
  tx.maybeOne(sql.write(SweepState)`
    update blob_store set confirmed = unknown_blobs where stopped_because is not null and unknown_blobs > 0
    returning place, swept_at, stopped_at, stopped_because, all_blobs, all_bytes, unknown_blobs, unknown_bytes, confirmed`);
