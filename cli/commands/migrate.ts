import { table } from 'hydrofiles/terminal';
import { loadConfig } from '../../src/config.ts';
import { openDatabase, openPresentDatabase } from '../../src/platform/postgres/database.ts';
import { type Plan, planMigration } from '../../src/platform/postgres/plan.ts';
import type { Io } from '../io.ts';

/** Applies pending migrations to the database of the settings. Several processes may do so at the same time. */
export async function migrate(io: Io, stop?: AbortSignal): Promise<void> {
  const database = await openDatabase(loadConfig(io.env), stop);
  await database.close();
  if (io.json) io.out(JSON.stringify({ applied: database.applied }));
  else io.out(database.applied.length > 0 ? `Applied ${database.applied.join(', ')}.` : 'The database is up to date.');
}

/** Shows what `migrate` would do: files, tables, locks. Changes nothing. */
export async function planMigrate(io: Io, stop?: AbortSignal): Promise<void> {
  const { ownerUrl, runtimeUrl, close } = await openPresentDatabase(loadConfig(io.env));
  try {
    const plan = await planMigration(ownerUrl, { runtimeUrl, stop });
    if (io.json) io.out(JSON.stringify(plan));
    else showPlan(io, plan);
  } finally {
    await close();
  }
}

function showPlan(io: Io, { files, stopped }: Plan): void {
  if (files.length === 0) {
    io.out('The database is up to date.');
    return;
  }
  const rows = files.flatMap(({ name, duration, tables }) => {
    const time = duration === undefined ? 'not tried' : `${Math.round(duration)} ms`;
    if (tables.length === 0) return [[name, time, '', '', '', '']];
    return tables.map((one, n) => [
      n === 0 ? name : '',
      n === 0 ? time : '',
      one.name,
      one.lock,
      one.stops,
      one.rewritten ? 'rewritten' : '',
    ]);
  });
  io.print(table(['FILE', 'TIME', 'TABLE', 'LOCK', 'STOPS', ''], rows));
  io.note(stopped ?? 'All was tried and rolled back. The locks are held from their file to the end of the migration.');
}
