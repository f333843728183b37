import type { Database } from '../../db.ts';
import { batchOrEach, type MaintenanceRun } from '../../platform/async/maintenance-run.ts';
import { deleteSources, listUnneededSources } from '../sources/sources.queries.ts';
import { EXPIRIES, type Expiry } from './expiry.queries.ts';

/** Rows per statement. */
const BATCH = 500;

const sources: Expiry = { part: 'addresses of remote files', list: listUnneededSources, clear: deleteSources };

/** Clears references to expired uploads, exports and skipped records, and deletes expired addresses of remote files. */
export async function clearExpired(db: Database, run: MaintenanceRun): Promise<void> {
  for (const expiry of [...EXPIRIES, sources]) await run.attempt(expiry.part, () => clear(db, run, expiry));
}

async function clear(db: Database, run: MaintenanceRun, expiry: Expiry): Promise<void> {
  const clearAll = (some: readonly { id: string }[]) =>
    db.transaction((tx) =>
      expiry.clear(
        tx,
        some.map(({ id }) => id),
      ),
    );
  for (let after: string | undefined; ; ) {
    run.signal?.throwIfAborted();
    const expired = await expiry.list(db, BATCH, after);
    if (expired.length === 0) return;
    await batchOrEach(run, expiry.part, expired, clearAll);
    after = expired.at(-1)?.id;
  }
}
