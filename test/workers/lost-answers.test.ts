import test from 'ava';
import { until } from '../world/hooks.ts';
import { losingTheAnswerTo } from '../world/lost-answers.ts';
import { openSource } from '../world/source.ts';
import { copyRequest, newProject, start, untilEnd } from '../world/transfers.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

const source = await openSource();
const settings = { 'outbound.allow': source.place };
const w = world(test, settings);
test.after.always(() => source.close());

test('log lines whose acknowledgement was lost are written once', async (t) => {
  const proxy = await losingTheAnswerTo('greatest(progress', w.url);
  const worker = await workHere({ url: proxy.url, folder: w.folder }, settings);
  try {
    const client = w.as(await w.account());
    const projectId = await newProject(client);
    source.serve('/slow.txt', (_, response) => {
      response.write('slow ');
      void until(() => proxy.seen.statements > 1).then(() => response.end('content'));
    });
    const { body } = await start(client, copyRequest(projectId, source.url('/slow.txt')));
    t.is((await untilEnd(client, body.id)).status, 'Completed');
    t.is(proxy.seen.lost, 1);
    const { data } = (await client.get(`/api/conversion/transfer/${body.id}/log`)).body;
    const messages: string[] = data.map(({ message }: { message: string }) => message);
    t.deepEqual(messages, [...new Set(messages)]);
    t.is(messages[0], 'Attempt 1 started.');
    t.true(messages.length > 2, messages.join(' | '));
  } finally {
    await worker.stop();
    await proxy.close();
  }
});
