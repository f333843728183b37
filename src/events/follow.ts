import type { Reads } from '../db.ts';
import { AppError } from '../errors.ts';
import { heartbeat } from '../http/answers/event-stream.ts';
import type { Caller } from '../http/caller.ts';
import { databaseErrorKind } from '../platform/sql/error-kind.ts';
import { toCloudEvent } from './cloud-event.ts';
import type { EventNotifier } from './event-notifier.ts';
import { countVisible, type EventFilter, listVisible } from './queries.ts';

const PAGE = 100;
/** Sent as `retry`: how long clients wait before they reconnect. */
const RECONNECT_AFTER_MS = 1000;

export interface Following {
  /** The last offset that the client has. Undefined: start with new events. */
  after: number | undefined;
  filter: EventFilter;
  /** More events than this are skipped, and the client is told. Undefined: none is skipped. */
  maxBehind: number | undefined;
  /**
   * Checks the caller again. Undefined, or throws, if the token has expired or the account was disabled or left the
   * tenant.
   */
  caller(): Promise<Caller | undefined>;
}

/**
 * Yields events as server-sent events until the caller loses access or the server closes. Each chunk is produced when
 * the one before has been consumed, so a slow client holds at most one page in memory. Survives outages of the
 * database. Checks the rights of each event as it is sent.
 */
export async function* followEvents(
  db: Reads,
  notifier: EventNotifier,
  { filter, maxBehind, ...following }: Following,
): AsyncGenerator<string> {
  let position = following.after ?? notifier.head;
  // an id without data is not an event, but sets the Last-Event-ID of a client that reconnects before the first event
  yield `retry: ${RECONNECT_AFTER_MS}\nid: ${position}\n\n`;
  const pulse = heartbeat();
  while (!notifier.closed) {
    const change = notifier.next();
    try {
      const caller = await following.caller();
      if (!caller) return;
      const head = notifier.head;
      if (maxBehind !== undefined && head - position > maxBehind) {
        const range = { after: position, upTo: head, limit: maxBehind + 1 };
        if ((await countVisible(db, caller, range, filter)) > maxBehind) {
          position = head;
          pulse.reset();
          yield `event: behind\nid: ${head}\ndata: {}\n\n`;
        }
      }
      if (position < head) {
        const rows = await listVisible(db, caller, { after: position, upTo: head, limit: PAGE }, filter);
        position = rows.length < PAGE ? head : (rows.at(-1)?.offset ?? head);
        const text = rows.map((row) => `id: ${row.offset}\ndata: ${JSON.stringify(toCloudEvent(row))}\n\n`).join('');
        if (text !== '') {
          pulse.reset();
          yield text;
        }
        if (position < head) continue;
      }
    } catch (error) {
      if (error instanceof AppError) return;
      if (databaseErrorKind(error) === undefined) throw error;
    }
    if (pulse.isDue()) {
      pulse.reset();
      yield ':\n\n';
    }
    await change;
  }
}
