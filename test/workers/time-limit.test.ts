import test from 'ava';
import { inTime, limitTime } from '../../src/transfers/run/time-limit.ts';

test('work that does not stop in time is known until it ends', async (t) => {
  const abandoned = new Set<Promise<unknown>>();
  const stop = new AbortController();
  const time = limitTime(stop.signal, 60_000, abandoned);
  const { promise, resolve } = Promise.withResolvers<void>();
  const attempt = inTime(
    time,
    () => 'It took too long.',
    () => promise,
  );
  const reason = new Error('stopped');
  stop.abort(reason);
  await t.throwsAsync(attempt, { is: reason });
  t.deepEqual([...abandoned], [promise]);
  resolve();
  await Promise.all(abandoned);
  t.is(abandoned.size, 0);
});
