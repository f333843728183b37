import type { Database } from '../../db.ts';
import type { MaintenanceRun } from '../../platform/async/maintenance-run.ts';
import type { CheckedBlobs } from './checked-blobs.ts';
import { forgetUnnamed } from './digests.queries.ts';
import { advance, findRunning, finishVerification, listNext, startVerification } from './verification.queries.ts';

/** Blobs between two records of the progress. */
const BATCH = 64;
/** Blobs that are read at once. */
const AT_ONCE = 4;

/**
 * Goes on with the running verification to its end; without one, starts one of the blobs that were not checked for
 * `unchecked` milliseconds. Reads each blob whole and compares it with its digest. May be stopped anywhere: the next
 * run goes on after the last recorded batch, and does not read blobs again that were found right. Of two concurrent
 * runs, the slower one stops.
 */
export async function verifyBlobs(
  db: Database,
  blobs: CheckedBlobs,
  { unchecked, run }: { unchecked: number; run: MaintenanceRun },
): Promise<void> {
  let running = (await findRunning(db)) ?? (await start(db, unchecked));
  while (running) {
    const before = running;
    run.signal?.throwIfAborted();
    const names = await listNext(db, running.cursor, BATCH);
    const cursor = names.at(-1);
    if (cursor === undefined) {
      await db.transaction((tx) => finishVerification(tx, before.id));
      break;
    }
    const done = { cursor, ...(await verifyAll(blobs, names, run)) };
    if (!(await db.transaction((tx) => advance(tx, before, done)))) return;
    running = { id: running.id, cursor };
  }
  await db.transaction((tx) => forgetUnnamed(tx));
}

async function start(db: Database, unchecked: number) {
  await db.transaction((tx) => startVerification(tx, { unchecked }));
  return findRunning(db);
}

async function verifyAll(blobs: CheckedBlobs, names: readonly string[], run: MaintenanceRun) {
  const sum = { checked: 0, bytes: 0, problems: 0 };
  const left = names.values();
  const verifySome = async () => {
    for (const name of left) {
      await run.attempt(
        'blobs',
        async () => {
          const result = await blobs.verify(name, run.signal);
          sum.checked++;
          sum.bytes += result?.bytes ?? 0;
          if (result?.problem !== undefined) sum.problems++;
        },
        name,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, verifySome));
  return sum;
}
