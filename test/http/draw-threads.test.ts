import test from 'ava';
import { DrawThreads } from '../../src/tiles/draw-threads.ts';
import { SharedDrawings } from '../../src/tiles/shared-drawings.ts';

const script = new URL('./threads/answer-slowly.ts', import.meta.url);

/** Reads wait until they are released. */
function heldSource() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>();
  let reads = 0;
  const read = async () => {
    reads++;
    begin();
    await free;
    return new Uint8Array(1);
  };
  return { read, begun, letGo, reads: () => reads };
}

test('tenants share the threads fairly, independent of their numbers of requests', async (t) => {
  const threads = new DrawThreads(script, 1);
  const order: string[] = [];
  const never = new AbortController().signal;
  const held = heldSource();
  const draw = (tenant: string, name: string, read = async () => new Uint8Array(1)) =>
    threads.use({ tenant, signal: never }, async (own) => {
      order.push(name);
      return Buffer.from((await own({ name, parts: 1 }, { read }))!).toString();
    });
  const first = draw('a', 'a0', held.read);
  await held.begun;
  const other = heldSource();
  const second = draw('d', 'd0', other.read);
  await other.begun;
  const others = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => draw(name[0]!, name));
  t.deepEqual(threads.counts, { waiting: 6, drawing: 2 });
  other.letGo();
  t.is(await second, 'd0');
  await others[5];
  t.deepEqual(order.slice(0, 4), ['a0', 'd0', 'b1', 'c1'], 'the tenant that draws is last');
  held.letGo();
  t.is(await first, 'a0');
  t.deepEqual(await Promise.all(others), ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  t.deepEqual(threads.counts, { waiting: 0, drawing: 0 });
  await t.throwsAsync(
    threads.use({ tenant: 'a', signal: never }, (own) => own({ name: 'broken', parts: 0 })),
    { message: /broken/ },
  );
  t.is(await draw('a', 'after'), 'after');
  await threads.close();
  await t.throwsAsync(draw('a', 'late'), { message: 'The server is closing.' });
});

test('one tenant cannot fill the queue of the others', async (t) => {
  const threads = new DrawThreads(script, 1);
  const never = new AbortController().signal;
  const held = heldSource();
  const draw = (tenant: string) =>
    threads.use({ tenant, signal: never }, (own) => own({ name: tenant, parts: 1 }, held));
  const running = [draw('a')];
  await held.begun;
  for (let n = 0; n < 100; n++) running.push(draw('a'));
  await t.throwsAsync(draw('a'), { message: 'Too many tiles are waiting to be drawn. Try again in 2 s.' });
  // All threads draw for the first one, but there is one more for another.
  const own = await threads.use({ tenant: 'b', signal: never }, (lent) => lent({ name: 'b', parts: 0 }));
  t.is(Buffer.from(own!).toString(), 'b');
  t.is(threads.counts.waiting, 100);
  running.push(draw('b'));
  held.letGo();
  t.is((await Promise.all(running)).length, 102);
  await threads.close();
});

test('a drawing is cancelled when the last request that waits for it has left, and its thread draws on', async (t) => {
  const threads = new DrawThreads(script, 1);
  const shared = new SharedDrawings<Uint8Array | undefined>();
  const held = heldSource();
  let outcome: unknown;
  const ask = (signal: AbortSignal) =>
    shared.of('tile', signal, (own) =>
      threads.use({ tenant: 'a', signal: own }, async (draw) => {
        const bytes = await draw({ name: 'tile', parts: 1000 }, held).catch((error: unknown) => {
          outcome = error;
          throw error;
        });
        return bytes;
      }),
    );
  const [one, other, waiting] = [new AbortController(), new AbortController(), new AbortController()];
  const asked = [ask(one.signal), ask(other.signal)];
  await held.begun;
  const queued = threads.use({ tenant: 'a', signal: waiting.signal }, async () => 'never');
  waiting.abort(new Error('left the queue'));
  await t.throwsAsync(queued, { message: 'left the queue' });
  one.abort(new Error('one left'));
  await t.throwsAsync(asked[0]!, { message: 'one left' });
  t.is(outcome, undefined);
  other.abort(new Error('both left'));
  await t.throwsAsync(asked[1]!, { message: 'both left' });
  held.letGo();
  const never = new AbortController().signal;
  const next = await threads.use({ tenant: 'b', signal: never }, (draw) => draw({ name: 'next', parts: 0 }));
  t.is(Buffer.from(next!).toString(), 'next');
  t.is((outcome as Error).message, 'both left');
  t.true(held.reads() <= 2, String(held.reads()));
  // A later request draws anew.
  const again = await ask(never);
  t.is(Buffer.from(again!).toString(), 'tile');
  await threads.close();
});
