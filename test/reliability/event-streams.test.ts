import test from 'ava';
import { append } from '../../src/outbox.ts';
import { openStream } from '../world/streams.ts';
import { world } from '../world.ts';

const w = world(test);
const LIST = '/api/eventing/event/list';
const happen = (userId: string, resourceId: string) =>
  append(w.db, { type: 'svc.platform.events.transferstartedevent', source: '/test', resourceId, data: {}, userId });

test('a stream outlives its database connections, comments on silence, and ends in order when the server closes', async (t) => {
  const user = await w.account();
  const url = await w.app.listen({ port: 0, host: '127.0.0.1' });
  const stream = await openStream(`${url}${LIST}`, { authorization: `Bearer ${await w.tokenOf(user)}` });
  await happen(user.userId, 'before');
  await stream.until(1);

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
  await stream.until(2);
  t.deepEqual(
    stream.heard.map(({ event }) => event.resourceid),
    ['before', 'after'],
  );

  while (stream.comments === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  t.is(stream.comments, 1, 'not before fifteen seconds have passed');

  const closing = w.app.close();
  t.true(await stream.ended);
  await closing;
});
