import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { hookWorld, until } from '../world/hooks.ts';
import { startWorker } from '../world/worker.ts';

const { w, settings, newHook } = await hookWorld(test, 2);

test.serial('events are delivered at least once and soon, although workers are killed', async (t) => {
  const others = [await startWorker(w, settings), await startWorker(w, settings)];
  const hook = await newHook(async (_, response) => {
    await sleep(100);
    response.writeHead(204).end();
  });
  const told: string[] = [];
  for (let n = 0; n < 60; n++) told.push(await hook.happen());
  await until(() => hook.receiver.received.length > 5);
  for (const one of others) one.process.kill('SIGKILL');
  await Promise.all(others.map((one) => one.ended));
  const last = await startWorker(w, settings);
  t.teardown(() => last.stop());
  const deliveries = await hook.settled();
  const seen = hook.received();
  t.true(told.every((id) => seen.includes(id)));
  t.true(deliveries.every(({ state }) => state === 'Delivered'));
});

test.serial('a stopping worker ends immediately, and another one sends its deliveries', async (t) => {
  let stuck = true;
  const hook = await newHook(async (_, response) => {
    if (stuck) return new Promise<void>(() => {});
    response.writeHead(204).end();
  });
  const slow = await startWorker(w, { ...settings, 'webhooks.timeout': '1h' });
  t.teardown(() => void slow.process.kill('SIGKILL'));
  await hook.happen();
  await until(() => hook.receiver.received.length === 1);
  await slow.stop();
  stuck = false;
  const next = await startWorker(w, { ...settings, 'webhooks.timeout': '1h' });
  t.teardown(() => next.stop());
  t.like((await hook.settled())[0], { state: 'Delivered', attempts: 1 });
});
