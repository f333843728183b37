import type { Reads } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { heartbeat } from '../../http/answers/event-stream.ts';
import type { Caller } from '../../http/caller.ts';
import { databaseErrorKind } from '../../platform/sql/error-kind.ts';
import { findTransfer, isFinal, type TransferRow } from '../queries.ts';
import type { Transfer } from './record.ts';
import type { Changes } from './transfer-watch.ts';

export interface Following {
  id: string;
  /** Authenticates the caller again at every poll: undefined or a refusal ends the stream. */
  caller(): Promise<Caller | undefined>;
  /** Converts a row to the answer. */
  show(row: TransferRow): Promise<Transfer>;
  /** The client has gone. */
  signal: AbortSignal;
}

/** Interval at which the caller is checked again. Access to the transfer is checked before every event. */
const CHECK_EVERY_MS = 2000;

/**
 * Streams a transfer as server-sent events: its present state, then every change, until it ends or the caller loses
 * access. Outages of the database do not end the stream.
 */
export async function* followTransfer(db: Reads, changes: Changes, following: Following): AsyncGenerator<string> {
  const { id, signal } = following;
  let change = Promise.withResolvers<void>();
  let changed = true;
  const trigger = () => change.resolve();
  const pulse = heartbeat();
  const stop = changes.watch(id, () => {
    changed = true;
    trigger();
  });
  const timer = setInterval(trigger, CHECK_EVERY_MS);
  signal.addEventListener('abort', trigger);
  let last = '';
  try {
    while (!signal.aborted && !changes.closed()) {
      change = Promise.withResolvers();
      try {
        const caller = await following.caller();
        if (!caller) return;
        if (changed || pulse.isDue()) {
          changed = false;
          const row = await changes.limited(() => findTransfer(db, caller, id));
          if (!row) return;
          const state = stateOf(row);
          if (state !== last) {
            last = state;
            pulse.reset();
            yield `data: ${JSON.stringify(await following.show(row))}\n\n`;
            if (isFinal(row.status)) return;
          }
        }
      } catch (error) {
        if (error instanceof AppError) return;
        if (databaseErrorKind(error) === undefined) throw error;
        // the next trigger reads it again
        changed = true;
      }
      if (pulse.isDue()) {
        pulse.reset();
        yield ':\n\n';
      }
      await change.promise;
    }
  } finally {
    stop();
    clearInterval(timer);
    signal.removeEventListener('abort', trigger);
  }
}

/** The members whose change is an event. The caller's rights are not among them. */
const stateOf = ({ updatedAt: _, rights: __, generation: ___, readsContents: ____, ...row }: TransferRow) =>
  JSON.stringify(row);
