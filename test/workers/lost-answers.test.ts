import test from 'ava';
import { until } from '../world/hooks.ts';
import { losingTheAnswerTo } from '../world/lost-answers.ts';
import { openSource } from '../world/source.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

const source = await openSource();
const settings = { 'outbound.allow': source.place };
const w = world(test, settings);
test.after.always(() => source.close());

test.serial('log lines whose acknowledgement was lost are written once', async (t) => {
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

test.serial('the end of an attempt that met two outages is written after them', async (t) => {
  // a sequence counts on although the statement fails
  await w.sql('create sequence outages');
  await w.sql(`create function out_of_order() returns trigger language plpgsql as $$ begin
    if nextval('outages') <= 2 then raise exception 'out of order' using errcode = 'configuration_limit_exceeded'; end if;
    return new; end $$`);
  await w.sql(`create trigger out_of_order before update on transfers for each row when (new.status = 'Error')
    execute function out_of_order()`);
  const worker = await workHere({ url: w.url, folder: w.folder }, settings);
  try {
    const client = w.as(await w.account());
    const projectId = await newProject(client);
    const request = copyRequest(projectId, await upload(w, client, 'no grid'), {
      readerName: 'AsciiGridReader',
      writerName: 'GeoTiffWriter',
    });
    const { body } = await start(client, request);
    const ended = await untilEnd(client, body.id);
    t.is(ended.status, 'Error');
    t.is(ended.attempt, 1);
    const { data } = (await client.get(`/api/conversion/transfer/${body.id}/log`)).body;
    const messages: string[] = data.map(({ message }: { message: string }) => message);
    t.deepEqual([messages[0], messages.at(-1)], ['Attempt 1 started.', ended.errorMessage]);
    t.deepEqual(await w.sql('select last_value::int as n from outages'), [{ n: 3 }]);
  } finally {
    await worker.stop();
    await w.sql('drop function out_of_order cascade');
  }
});
