import { runAll } from '../../platform/async/run-all.ts';
import { databaseErrorKind } from '../../platform/sql/error-kind.ts';
import { settle } from '../ends/settle.ts';
import type { AttemptEnd, Executor } from './executor.ts';
import { listHeld } from './run.queries.ts';

const UNKNOWN_END: Omit<AttemptEnd, 'attempt'> = { outcome: { kind: 'handedBack', counts: {} }, lines: [] };

/**
 * Compares the runs of this process with the transfers' rows. Stops runs that were cancelled, whose project was
 * deleted, or that another process took over, even if the notification was lost. Settles transfers that this pool holds
 * but does not run, because the database was away when their run ended: with the end of the run if it is known, else
 * they are handed back.
 */
export async function checkRuns(
  executor: Pick<Executor, 'db' | 'pool' | 'running' | 'unwritten' | 'announce'>,
): Promise<void> {
  const { db, pool, running, unwritten, announce } = executor;
  const ends = [...unwritten];
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
  // what others took over, or a later attempt settled
  for (const [id, { attempt }] of ends) if (attempts.get(id) !== attempt) unwritten.delete(id);
  await runAll(
    unheld.map((row) => async () => {
      const end = unwritten.get(row.id);
      // what cannot be written for another reason than an outage is tried once: it must not be tried for ever
      unwritten.delete(row.id);
      const { outcome, lines } = end?.attempt === row.attempt ? end : UNKNOWN_END;
      try {
        await db.transaction((tx) => settle(tx, { attempt: row, outcome, lines }));
      } catch (error) {
        if (end !== undefined && databaseErrorKind(error) === 'outage') unwritten.set(row.id, end);
        throw error;
      }
      announce(row.id);
    }),
  );
}
