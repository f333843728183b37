import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

/** Ids of transfers that have ended, separated by commas: for those who wait for one. May be lost; whoever waits also looks by himself. */
export const ENDED = 'transfer_ended';
/** Id of a transfer whose worker shall stop it. */
export const CANCEL = 'transfer_cancel';

export const notifyEnded = (db: Db, ids: readonly string[]) =>
  db.any(sql.prepared('notify ended', z.object({}))`select from pg_notify(${ENDED}, ${ids.join(',')})`);

export const notifyCancel = (tx: Db, id: string) => tx.query(sql.unsafe`select pg_notify(${CANCEL}, ${id})`);
