import { runAll } from '../../platform/async/run-all.ts';
import { settle } from '../ends/settle.ts';
import type { Executor } from './executor.ts';
import { listHeld } from './run.queries.ts';

/**
 * Compares the runs of this process with the transfers' rows. Stops runs that were cancelled, whose project was deleted, or that another
 * process took over, even if the notification was lost. Hands back transfers that this pool holds but does not run, because the database
 * was away when their run ended.
 */
export async function checkRuns(executor: Pick<Executor, 'db' | 'pool' | 'running'>): Promise<void> {
  const { db, pool, running } = executor;
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
    if (run?.attempt === attempt && attempts.get(id) !== attempt) run.stop('takenOver');
  }
  const outcome = { kind: 'handedBack', counts: {} } as const;
  await runAll(unheld.map((row) => () => settle(db, { attempt: row, outcome, lines: [] })));
}
