import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

const Allowance = z.object({ confirmAll: z.boolean(), confirmed: z.number().optional() });

/** What somebody has allowed the next sweep, and whether it must be asked for. */
export const getAllowance = (db: Db) => db.one(sql.type(Allowance)`select confirm_all, confirmed from blob_store`);

/** Blobs that a sweep has looked at; unknown ones were never named by this database. */
export interface Counted {
  all: number;
  unknown: number;
  unknownBytes: number;
}

/** The sweep has removed no unknown blob, and this is why. */
export const setStopped = (db: Db, because: string, { all, unknown, unknownBytes }: Counted) =>
  db.query(sql.unsafe`
    update blob_store set stopped_because = ${because}, stopped_at = coalesce(stopped_at, now()), swept_at = now(),
      all_blobs = ${all}, unknown_blobs = ${unknown}, unknown_bytes = ${unknownBytes},
      -- it may have been given while this sweep was looking
      confirmed = case when confirmed >= ${unknown}::bigint then confirmed end`);

/** The sweep has done its work; what was allowed is used up. */
export const setSwept = (db: Db, all: number) =>
  db.query(sql.unsafe`
    update blob_store set stopped_because = null, stopped_at = null, swept_at = now(), all_blobs = ${all}, unknown_blobs = 0,
      unknown_bytes = 0, confirm_all = confirm_all and confirmed is null, confirmed = null`);

export const SweepState = z.object({
  place: z
    .string()
    .optional()
    .meta({ description: 'The bucket with its folder, or the folder of the machine that started last' }),
  sweptAt: z.string().optional(),
  stoppedAt: z.string().optional(),
  stoppedBecause: z.string().optional(),
  allBlobs: z.number(),
  unknownBlobs: z.number(),
  unknownBytes: z.number(),
  confirmed: z.number().optional().meta({ description: 'How many unknown blobs the next sweep may remove' }),
});
export type SweepState = z.infer<typeof SweepState>;

/** Nothing: no process has opened the store yet. */
export const findSweepState = (db: Db) =>
  db.maybeOne(sql.type(SweepState)`
    select place, swept_at, stopped_at, stopped_because, all_blobs, unknown_blobs, unknown_bytes, confirmed from blob_store`);

/** Allows the next sweep to remove as many unknown blobs as the last one found. Nothing: none waits for that. */
export const confirmSweep = (tx: Db) =>
  tx.maybeOne(sql.type(SweepState)`
    update blob_store set confirmed = unknown_blobs where stopped_because is not null and unknown_blobs > 0
    returning place, swept_at, stopped_at, stopped_because, all_blobs, unknown_blobs, unknown_bytes, confirmed`);
