import type { Database } from '../../db.ts';
import { notifyEnded } from './notices.queries.ts';

const TOGETHER_MS = 10;
/** A notification holds 8000 bytes. */
const AT_ONCE = 200;

/**
 * Tells those who wait that transfers have ended. Outside of their transactions and many at once, because commits that notify wait for
 * each other, flush to the disk included.
 */
export function announcer(db: Database): (id: string) => void {
  let ids: string[] = [];
  const tell = () => {
    const told = ids;
    ids = [];
    for (let at = 0; at < told.length; at += AT_ONCE) {
      notifyEnded(db, told.slice(at, at + AT_ONCE)).catch(() => {}); // who waits looks by himself, too
    }
  };
  return (id) => {
    // a timer belongs to the request that set it, whose transaction may be in the middle of another step
    if (ids.push(id) === 1) setTimeout(() => db.within(undefined, tell), TOGETHER_MS);
  };
}
