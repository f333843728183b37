import type { Db } from '../db.ts';
import { troubleOf } from '../db.ts';
import { AppError } from '../errors.ts';
import { silence } from '../http/answers/event-stream.ts';
import type { Caller } from '../http/caller.ts';
import type { Arrivals } from './arrivals.ts';
import { cloudEventOf } from './cloud-event.ts';
import { listVisible } from './queries.ts';

const PAGE = 100;
/** For a client that lost its connection. */
const RECONNECT_AFTER_MS = 1000;

export interface Following {
  /** The last offset that the client knows; undefined: it wants what happens from now on. */
  after: number | undefined;
  /** Asked again and again: nobody or a refusal when the token has expired, its account was disabled or left the tenant. */
  caller(): Promise<Caller | undefined>;
}

/**
 * Events as server-sent events, for ever: until the caller is none any more, or the server closes. Each piece is made when the one before
 * was taken, so a slow client holds one page of events and no more. The database may go and come back.
 */
export async function* followEvents(db: Db, arrivals: Arrivals, following: Following): AsyncGenerator<string> {
  let position = following.after ?? arrivals.head();
  // an id without data is no event, but where a client that hears nothing before it breaks off will go on
  yield `retry: ${RECONNECT_AFTER_MS}\nid: ${position}\n\n`;
  const quiet = silence();
  while (!arrivals.closed()) {
    const change = arrivals.next();
    try {
      const caller = await following.caller();
      if (!caller) return;
      const head = arrivals.head();
      if (position < head) {
        const rows = await listVisible(db, caller, { after: position, upTo: head, limit: PAGE });
        position = rows.length < PAGE ? head : (rows.at(-1)?.offset ?? head);
        const text = rows.map((row) => `id: ${row.offset}\ndata: ${JSON.stringify(cloudEventOf(row))}\n\n`).join('');
        if (text !== '') {
          quiet.broken();
          yield text;
        }
        if (position < head) continue;
      }
    } catch (error) {
      if (error instanceof AppError) return;
      if (troubleOf(error) === undefined) throw error;
    }
    if (quiet.isLong()) {
      quiet.broken();
      yield ':\n\n';
    }
    await change;
  }
}
