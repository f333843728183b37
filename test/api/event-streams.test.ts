import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { emit } from '../../src/outbox.ts';
import { leaveEarly } from '../world/leave-early.ts';
import { type EventStream, openStream } from '../world/streams.ts';
import { newProject } from '../world/transfers.ts';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test);
const LIST = '/api/eventing/event/list';

const follow = async (user: User, headers: Record<string, string> = {}, query = ''): Promise<EventStream> => {
  const authorization = `Bearer ${await w.tokenOf(user)}`;
  return openStream(`${await w.listen()}${LIST}${query}`, { authorization, ...headers });
};
const happen = (event: { userId?: string; tenantId?: string; projectId?: string }, resourceId = '') =>
  w.db.transaction((tx) =>
    emit(tx, { type: 'svc.platform.events.transferstartedevent', source: '/test', resourceId, data: {}, ...event }),
  );

test('a stream sends each event as it happens, as a CloudEvent with its offset as id', async (t) => {
  const user = await w.account();
  await happen(user, 'before');
  const stream = await follow(user);
  t.teardown(stream.close);
  t.is(stream.status, 200);
  t.regex(stream.type ?? '', /^text\/event-stream/);
  await happen({ userId: user.userId }, 'one');
  await happen({ userId: user.userId }, 'two');
  await stream.until(2);
  t.deepEqual(
    stream.heard.map(({ event }) => event.resourceid),
    ['one', 'two'],
  );
  const { body } = await w.as(user).get(LIST);
  const listed = body.data.slice(-2).map(({ offset, ...event }: { offset: number }) => ({ id: String(offset), event }));
  t.deepEqual(stream.heard, listed);
});

test('a stream continues after Last-Event-ID, which takes precedence over after', async (t) => {
  const user = await w.account();
  for (let n = 0; n < 250; n++) await happen({ userId: user.userId }, String(n));
  const { data } = (await w.as(user).get(`${LIST}?limit=1000`)).body;
  const after = await follow(user, {}, '?after=0');
  const last = await follow(user, { 'last-event-id': String(data[199].offset) }, '?after=0');
  t.teardown(after.close);
  t.teardown(last.close);
  t.deepEqual(
    (await after.until(250)).map(({ event }) => event.resourceid),
    data.map((one: { resourceid: string }) => one.resourceid),
  );
  t.deepEqual(
    (await last.until(50)).map(({ event }) => Number(event.resourceid)),
    Array.from({ length: 50 }, (_, n) => 200 + n),
  );
  t.is((await w.as(user).get(LIST, { accept: 'text/event-stream', 'last-event-id': 'x' })).status, 400);
});

test('a client that received no event knows where to continue', async (t) => {
  const user = await w.account();
  const first = await follow(user);
  while (first.lastId === '') await sleep(20);
  first.close();
  await first.ended;
  await happen({ userId: user.userId }, 'meanwhile');
  const second = await follow(user, { 'last-event-id': first.lastId });
  t.teardown(second.close);
  t.is((await second.until(1))[0]?.event.resourceid, 'meanwhile');
});

test('an event with a late commit is sent after those that were committed before', async (t) => {
  const user = await w.account();
  const stream = await follow(user);
  t.teardown(stream.close);
  const written = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<void>();
  const slow = w.db.transaction(async (tx) => {
    const event = { type: 'svc.platform.events.transferstartedevent', source: '/test', data: {} } as const;
    await emit(tx, { ...event, userId: user.userId, resourceId: 'late' });
    written.resolve();
    await heard.promise;
  });
  await written.promise;
  await happen({ userId: user.userId }, 'early');
  await stream.until(1);
  heard.resolve();
  await slow;
  t.deepEqual(
    (await stream.until(2)).map(({ event }) => event.resourceid),
    ['early', 'late'],
  );
});

test('a stream sends only events that its reader may read at that time', async (t) => {
  const owner = await w.account({ role: 'Owner' });
  const reader = await w.account();
  const projectId = await newProject(w.as(owner), 'River', [{ user: reader, role: 'Reader' }]);
  const streams = [await follow(owner), await follow(reader)] as const;
  for (const stream of streams) t.teardown(stream.close);
  const tell = (resourceId: string) => happen({ tenantId: owner.tenantId, projectId }, resourceId);
  const mine = (stream: EventStream) =>
    stream.heard
      .filter(({ event }) => event.projectid === projectId && event.source === '/test')
      .map(({ event }) => event.resourceid);
  await tell('both');
  while (mine(streams[1]).length < 1) await sleep(20);
  await w.sql('delete from project_members where user_id = $1', [reader.userId]);
  await tell('owner');
  await happen({ userId: reader.userId }, 'own');
  while (!streams[1].heard.some(({ event }) => event.resourceid === 'own')) await sleep(20);
  while (mine(streams[0]).length < 2) await sleep(20);
  t.deepEqual(mine(streams[1]), ['both']);
  t.deepEqual(mine(streams[0]), ['both', 'owner']);
});

test('a stream ends when its account is disabled', async (t) => {
  const user = await w.account();
  const stream = await follow(user);
  const { status } = await w.as(await w.administrator()).put(`/api/accounts/${user.userId}`, { enabled: false });
  if (status !== 200) await w.sql('update accounts set enabled = false where user_id = $1', [user.userId]);
  t.true(await stream.ended);
});

test('an account has at most twenty concurrent streams; closing one allows another', async (t) => {
  const user = await w.account();
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(user)));
  const more = await w.as(user).get(LIST, { accept: 'text/event-stream' });
  t.is(more.status, 429);
  t.truthy(more.headers['retry-after']);
  for (const stream of streams) stream.close();
  for (let tries = 0; tries < 100; tries++) {
    const again = await follow(user);
    if (again.status === 200) {
      again.close();
      return t.pass();
    }
    await sleep(50);
  }
  t.fail();
});

test('HEAD is answered and ends, for each Accept header', async (t) => {
  const { status } = await w
    .as(await w.account())
    .send({ method: 'HEAD', url: LIST, headers: { accept: 'text/event-stream' } });
  t.is(status, 200);
});

test('a client that leaves before its stream begins takes no place', async (t) => {
  const user = await w.account();
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${await w.tokenOf(user)}` };
  const left = await leaveEarly(w.app.server, `${await w.listen()}${LIST}?after=0&limit=7`, { headers }, 20);
  await Promise.all(left.map(({ streams }) => streams));
  t.is(left.length, 20);
  const stream = await follow(user);
  t.is(stream.status, 200);
  stream.close();
});
