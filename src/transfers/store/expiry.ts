import type { Db } from '../../db.ts';
import type { Chore } from '../../platform/async/chore.ts';
import { togetherOrApart } from '../../platform/async/chore.ts';
import { deleteSources, listUnneededSources } from '../sources/sources.queries.ts';
import type { Expiry } from './expiry.queries.ts';
import { EXPIRIES } from './expiry.queries.ts';

/** Rows per statement. */
const BATCH = 500;

const sources: Expiry = { part: 'addresses of remote files', list: listUnneededSources, clear: deleteSources };

/** Clears references to expired uploads, exports and skipped records, and deletes expired addresses of remote files. */
export async function clearExpired(db: Db, chore: Chore): Promise<void> {
  for (const expiry of [...EXPIRIES, sources]) await chore.attempt(expiry.part, () => clear(db, chore, expiry));
}

async function clear(db: Db, chore: Chore, expiry: Expiry): Promise<void> {
  const clearAll = (some: readonly { id: string }[]) =>
    expiry.clear(
      db,
      some.map(({ id }) => id),
    );
  for (let after: string | undefined; ; ) {
    chore.signal?.throwIfAborted();
    const expired = await expiry.list(db, BATCH, after);
    if (expired.length === 0) return;
    await togetherOrApart(chore, expiry.part, expired, clearAll);
    after = expired.at(-1)?.id;
  }
}
