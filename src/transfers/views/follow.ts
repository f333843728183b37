import type { Db } from '../../db.ts';
import { troubleOf } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { silence } from '../../http/answers/event-stream.ts';
import type { Caller } from '../../http/caller.ts';
import type { TransferRow } from '../queries.ts';
import { findTransfer, hasStopped } from '../queries.ts';
import type { Changes } from './changes.ts';
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

/** A caller who is none any more hears nothing more after this time; who may see the transfer is asked whenever there is something to say. */
const WAKE_EVERY_MS = 7000;

/**
 * A transfer as server-sent events: as it is now, then whenever it has come further, until it has ended or the caller may not see it any
 * more. The database may go and come back.
 */
export async function* followTransfer(db: Db, changes: Changes, following: Following): AsyncGenerator<string> {
  const { id, signal } = following;
  let change = Promise.withResolvers<void>();
  let changed = true;
  const wake = () => change.resolve();
  const quiet = silence();
  const stop = changes.watch(id, () => {
    changed = true;
    wake();
  });
  const timer = setInterval(wake, WAKE_EVERY_MS);
  signal.addEventListener('abort', wake);
  let last = '';
  try {
    while (!signal.aborted && !changes.closed()) {
      change = Promise.withResolvers();
      try {
        const caller = await following.caller();
        if (!caller) return;
        if (changed || quiet.isLong()) {
          changed = false;
          const row = await changes.inTurn(() => findTransfer(db, caller, id));
          if (!row) return;
          const state = stateOf(row);
          if (state !== last) {
            last = state;
            quiet.broken();
            yield `data: ${JSON.stringify(await following.show(row))}\n\n`;
            if (hasStopped(row.status)) return;
          }
        }
      } catch (error) {
        if (error instanceof AppError) return;
        if (troubleOf(error) === undefined) throw error;
        // looked at again when it is woken next
        changed = true;
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

/** What of it is worth telling; what the reader may do is not shown. */
const stateOf = ({ updatedAt: _, rights: __, generation: ___, readsContents: ____, ...row }: TransferRow) =>
  JSON.stringify(row);
