import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../world.ts';

/** Processes that are asked to stop before they have a database. */
const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));
/** From the start on, long enough for a busy machine; a process that lives on is killed. */
const PATIENCE_MS = 120_000;
/** As in `migrate.ts`. */
const LOCK = 7_201_954;

let world: TestDatabase;
test.before(async () => {
  world = await testDatabase(2);
});
test.after.always(() => world.close());

const NOTHING = '00000000-0000-4000-8000-000000000000';
/** Commands and their exit codes after SIGTERM. */
const COMMANDS = [
  [['serve'], 0],
  [['work'], 0],
  [['start'], 0],
  [['migrate'], 143],
  [['work', '--transfer', NOTHING], 6],
] as const;

function launch(t: ExecutionContext, command: readonly string[], url: string) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: url, PLATFORM_DATA: world.folder, PLATFORM_PORT: '0' };
  const child = spawn(process.execPath, [PROGRAM, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => void child.kill('SIGKILL'));
  return { child, end: endOf(child) };
}

/** Code or signal, and output. */
async function endOf(child: ChildProcess) {
  const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [[code, signal], error] = await Promise.all([once(child, 'exit'), text(child.stderr!)]);
  clearTimeout(impatience);
  return { ended: code ?? signal, error };
}

for (const [command, code] of COMMANDS) {
  const name = command.slice(0, 2).join(' ');
  test.serial(`'${name}' ends when it is asked to while it waits for the lock of migrations`, async (t) => {
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    t.teardown(() => other.end());
    await other.query('select pg_advisory_lock($1)', [LOCK]);
    const { child, end } = launch(t, command, world.url);
    let isOver = false;
    const watched = end.finally(() => {
      isOver = true;
    });
    const waiting = `select from pg_stat_activity where datname = current_database()
      and application_name = 'platform migrate' and wait_event = 'advisory'`;
    while ((await other.query(waiting)).rowCount === 0 && !isOver) await sleep(50);
    child.kill('SIGTERM');
    const { ended, error } = await watched;
    t.is(ended, code, error);
    await other.query('select pg_advisory_unlock($1)', [LOCK]);
    while ((await other.query(waiting)).rowCount !== 0) await sleep(50);
  });

  test.serial(`'${name}' ends when it is asked to while the address of the database does not answer`, async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.teardown(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const reached = once(silent, 'connection').then(([connection]) => t.teardown(() => connection.destroy()));
    const { child, end } = launch(t, command, `postgres://platform@127.0.0.1:${port}/platform`);
    await Promise.race([reached, end]);
    child.kill('SIGTERM');
    const { ended, error } = await end;
    t.is(ended, code, error);
  });
}
