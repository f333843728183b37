import type { Db } from '../db.ts';
import { troubleOf } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { silence } from '../http/event-stream.ts';
import type { Changes } from './changes.ts';
import type { TransferRow } from './queries.ts';
import { findTransfer, hasStopped } from './queries.ts';
import type { Transfer } from './record.ts';

export interface Following {
  id: string;
  /** Asked at every look: nobody or a refusal ends the stream. */
  caller(): Promise<Caller | undefined>;
  /** As it is answered elsewhere. */
  show(row: TransferRow): Promise<Transfer>;
  /** The client has gone. */
  signal: AbortSignal;
}

/** Whoever may not see the transfer any more hears nothing more after this time. */
const LOOK_ANYWAY_MS = 7000;

/**
 * A transfer as server-sent events: as it is now, then whenever it has come further, until it has ended or the caller may not see it any
 * more. The database may go and come back.
 */
export async function* followTransfer(db: Db, changes: Changes, following: Following): AsyncGenerator<string> {
  const { id, signal } = following;
  let change = Promise.withResolvers<void>();
  const wake = () => change.resolve();
  const quiet = silence();
  const stop = changes.watch(id, wake);
  const timer = setInterval(wake, LOOK_ANYWAY_MS);
  signal.addEventListener('abort', wake);
  let last = '';
  try {
    while (!signal.aborted && !changes.closed()) {
      change = Promise.withResolvers();
      try {
        const row = await changes.inTurn(() => lookAt(db, following));
        if (!row) return;
        const { updatedAt: _, ...told } = row;
        const state = JSON.stringify(told);
        if (state !== last) {
          last = state;
          quiet.broken();
          yield `data: ${JSON.stringify(await following.show(row))}\n\n`;
          if (hasStopped(row.status)) return;
        }
      } catch (error) {
        if (error instanceof AppError) return;
        if (troubleOf(error) === undefined) throw error;
      }
      if (quiet.isLong()) {
        quiet.broken();
        yield ':\n\n';
      }
      await change.promise;
    }
  } finally {
    stop();
    clearInterval(timer);
    signal.removeEventListener('abort', wake);
  }
}

async function lookAt(db: Db, { id, caller }: Following): Promise<TransferRow | undefined> {
  const who = await caller();
  return (who && (await findTransfer(db, who, id))) ?? undefined;
}
