import test from 'ava';
import { hookWorld } from '../world/hooks.ts';
import { losingTheAnswerTo } from '../world/lost-answers.ts';
import { answerWith } from '../world/receiver.ts';
import { workHere } from '../world/worker-here.ts';

const { w, settings, newHook } = await hookWorld(test, 1);

test('an attempt of a delivery whose acknowledgement was lost counts once', async (t) => {
  const proxy = await losingTheAnswerTo('attempts = d.attempts + 1', w.url);
  const worker = await workHere(
    { url: proxy.url, folder: w.folder },
    { ...settings, 'webhooks.timeout': '10s', 'webhooks.retryAfter': '50ms,100ms' },
  );
  try {
    const { happen, settled, receiver } = await newHook(answerWith(500));
    await happen();
    const [delivery] = await settled();
    t.is(proxy.seen.lost, 1);
    t.like(delivery, { state: 'Failed', attempts: 3, status: 500 });
    t.is(receiver.received.length, 3);
  } finally {
    await worker.stop();
    await proxy.close();
  }
});
