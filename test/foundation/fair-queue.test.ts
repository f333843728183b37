import test from 'ava';
import { FairQueue } from 'hydrofiles/threads';

const refusal = (full: 'key' | 'queue') => new Error(`${full} full`);

test('many tasks of one client do not delay another', async (t) => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 100, maxWaitingOfKey: 50, refusal });
  const done: string[] = [];
  const ask = (client: string) =>
    queue.run(client, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push(client);
    });
  const flood = Array.from({ length: 40 }, () => ask('flood'));
  const others = [ask('anna'), ask('berta')];
  await Promise.all([...flood, ...others]);
  t.true(done.indexOf('anna') <= 3, done.slice(0, 6).join());
  t.true(done.indexOf('berta') <= 4, done.slice(0, 6).join());
  t.is(done.length, 42);
});

test('when the queue is full, a client with fewer tasks displaces the last task of the client with the most', async (t) => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 10, maxWaitingOfKey: 50, refusal });
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const flood = Array.from({ length: 11 }, () => queue.run('flood', () => gate));
  const outcomes = Promise.allSettled(flood);
  const anna = queue.run('anna', async () => 'done');
  await t.throwsAsync(
    queue.run('flood', () => gate),
    { message: 'queue full' },
  );
  open();
  t.is(await anna, 'done');
  t.deepEqual(
    (await outcomes).map(({ status }) => status),
    [...Array(10).fill('fulfilled'), 'rejected'],
  );
});

test('a free slot goes to a client other than the one that holds all other slots', async (t) => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 10, maxWaitingOfKey: 2, hasSpare: true, refusal });
  const gate = Promise.withResolvers<void>();
  const flood = [1, 2, 3].map(() => queue.run('flood', () => gate.promise));
  await t.throwsAsync(
    queue.run('flood', () => gate.promise),
    { message: 'key full' },
  );
  t.is(await queue.run('anna', async () => 'done'), 'done');
  t.deepEqual(queue.counts, { waiting: 2, running: 1 });
  gate.resolve();
  await Promise.all(flood);
  t.deepEqual(queue.counts, { waiting: 0, running: 0 });
});

test('an aborted task leaves the queue; a closed queue refuses waiting and later tasks', async (t) => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 10, maxWaitingOfKey: 5, refusal });
  const gate = Promise.withResolvers<string>();
  const running = queue.run('a', () => gate.promise);
  const leaving = new AbortController();
  const aborted = queue.run('a', async () => 'never', leaving.signal);
  const waiting = queue.run('b', async () => 'never');
  leaving.abort(new Error('left'));
  await t.throwsAsync(aborted, { message: 'left' });
  t.deepEqual(queue.counts, { waiting: 1, running: 1 });
  queue.close(new Error('closed'));
  await t.throwsAsync(waiting, { message: 'closed' });
  await t.throwsAsync(
    queue.run('a', async () => 'never'),
    { message: 'closed' },
  );
  gate.resolve('done');
  t.is(await running, 'done');
});
