import test from 'ava';
import { emit } from '../../src/outbox.ts';
import { openStream } from '../world/streams.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
const LIST = '/api/eventing/event/list?types=svc.platform.events.transferstartedevent';
const happen = (userId: string, resourceId: string) =>
  w.db.transaction((tx) =>
    emit(tx, { type: 'svc.platform.events.transferstartedevent', source: '/test', resourceId, data: {}, userId }),
  );

test('event streams survive lost database connections, send keep-alive comments, and end cleanly on shutdown', async (t) => {
  const user = await w.account();
  const url = await w.listen();
  const headers = { authorization: `Bearer ${await w.tokenOf(user)}` };
  const stream = await openStream(`${url}${LIST}`, headers);
  const client = w.as(user);
  const { id } = (await start(client, copyRequest(await newProject(client), await upload(w, client, 'x')))).body;
  const followed = await openStream(`${url}/api/conversion/transfer/${id}`, headers);
  await followed.until(1);
  await happen(user.userId, 'before');
  await stream.until(2);

  const cut = () =>
    w.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  const started = performance.now();
  while (performance.now() - started < 2000) {
    await cut().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (let tries = 0; ; tries++) {
    const told = await happen(user.userId, 'after').then(
      () => true,
      () => false,
    );
    if (told) break;
    if (tries > 100) t.fail('the database does not come back');
  }
  await stream.until(3);
  t.deepEqual(
    stream.heard.map(({ event }) => event.resourceid),
    [id, 'before', 'after'],
  );
  await w.sql('update transfers set progress = 7 where id = $1', [id]);
  await followed.until(2);
  t.is(followed.heard[1]?.event.progress, 7);

  for (const silent of [stream, followed]) {
    const before = silent.comments;
    while (silent.comments === before) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  const closing = w.app.close();
  t.deepEqual([await stream.ended, await followed.ended], [true, true]);
  await closing;
});
