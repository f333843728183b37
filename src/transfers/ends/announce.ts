import type { Database } from '../../db.ts';
import { notifyEnded } from './notices.queries.ts';

const TOGETHER_MS = 10;
/** A notification holds 8000 bytes. */
const AT_ONCE = 200;

/**
 * Notifies clients that wait for the end of transfers. Outside of the transfers' transactions and many at once, because
 * commits that notify wait for each other, including their flush to the disk.
 */
export function announcer(db: Database): (id: string) => void {
  let ids: string[] = [];
  const notify = () => {
    const batch = ids;
    ids = [];
    for (let at = 0; at < batch.length; at += AT_ONCE) {
      notifyEnded(db, batch.slice(at, at + AT_ONCE)).catch(() => {}); // clients that wait also poll
    }
  };
  return (id) => {
    // a timer runs in the context of the request that set it, whose transaction may be in the middle of a statement
    if (ids.push(id) === 1) setTimeout(() => db.within(undefined, notify), TOGETHER_MS);
  };
}
