import { takeAll } from '../../platform/async/one-by-one.ts';
import { handBack } from '../ends/settle.ts';
import type { RunParts } from './perform.ts';
import { listHeld } from './run.queries.ts';

/**
 * Holds the runs of this process against the transfers' rows: stops what was cancelled, lost its project or was overtaken (whatever
 * notification was lost), and gives back what this pool holds and nobody runs, because the database was away when its run ended.
 */
export async function mindRuns(parts: Pick<RunParts, 'db' | 'pool' | 'running'>): Promise<void> {
  const { db, pool, running } = parts;
  const before = [...running].flatMap(([id, { attempt }]) => (attempt === undefined ? [] : [{ id, attempt }]));
  const held = await listHeld(db, pool);
  const unheld = [];
  for (const row of held) {
    const run = running.get(row.id);
    if (run === undefined) unheld.push(row);
    else if (row.cancelled) run.stop('cancelled');
    else if (row.projectDeleted) run.stop('projectDeleted');
  }
  const attempts = new Map(held.map(({ id, attempt }) => [id, attempt]));
  for (const { id, attempt } of before) {
    const run = running.get(id);
    if (run?.attempt === attempt && attempts.get(id) !== attempt) run.stop('overtaken');
  }
  await takeAll(unheld.map((row) => () => handBack(db, row, {}, [])));
}
