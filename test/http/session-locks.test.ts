import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { SessionLocks } from '../../src/platform/postgres/session-locks.ts';
import { world } from '../world.ts';

const w = world(test);
const never = new AbortController().signal;
/** Longer than a test may take: a wait that ends earlier was ended by a notification. */
const LONG = 3_600_000;

test('one process holds a lock; waiting processes are notified of its release, and get it when the holder is killed', async (t) => {
  const locksOf = (applicationName: string) =>
    new SessionLocks({ databaseUrl: w.url, channel: 'any channel', applicationName });
  const [one, other] = [locksOf('one'), locksOf('other')];
  t.true(await one.tryLock('-5'));
  const watch = other.watch('-5');
  t.false(await other.tryLock('-5'));
  t.true(await other.tryLock('6'), 'another number');
  await other.unlock('6', true);
  const announced = watch.announced(LONG, never);
  await one.unlock('-5', true);
  await announced;
  watch.stop();
  t.true(await other.tryLock('-5'));
  t.false(await one.tryLock('-5'));

  // Locks that nobody waits for are released together.
  for (const number of ['20', '21']) t.true(await one.tryLock(number));
  for (const number of ['20', '21']) await one.unlock(number, false);
  for (const number of ['20', '21']) while (!(await other.tryLock(number))) await sleep(5);

  const left = new AbortController();
  const waiting = one.watch('-5');
  const leaving = waiting.announced(LONG, left.signal);
  left.abort(new Error('left'));
  await t.throwsAsync(leaving, { message: 'left' });
  await waiting.announced(1, never);
  waiting.stop();

  // As Postgres does when a process is killed; the process itself looks again at once, for its locks are gone.
  const lost = other.watch('7');
  await w.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'other'`,
  );
  await lost.announced(LONG, never);
  // Postgres tells it before it releases the locks.
  await w.untilLeft('other');
  lost.stop();
  t.true(await one.tryLock('-5'));
  t.false(await other.tryLock('-5'), 'over a new connection');
  await Promise.all([one.close(), other.close()]);
  await t.throwsAsync(one.tryLock('-5'), { message: 'The locks of this process are closed.' });
});

test('the lock of a process that is killed is free', async (t) => {
  const program = fileURLToPath(new URL('./threads/hold-lock.ts', import.meta.url));
  const holder = fork(program, [w.url, 'any channel', '11'], { execArgv: process.execArgv });
  t.deepEqual(await once(holder, 'message'), [true, undefined]);
  const locks = new SessionLocks({ databaseUrl: w.url, channel: 'any channel', applicationName: 'waiting' });
  t.false(await locks.tryLock('11'));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  while (!(await locks.tryLock('11'))) await sleep(10);
  t.pass();
  await locks.close();
});
