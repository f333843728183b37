import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { ENDED } from '../../src/transfers/ends/notices.queries.ts';
import { leaveEarly } from '../world/leave-early.ts';
import { type EventStream, openStream } from '../world/streams.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { type Client, ownWorld, type User } from '../world.ts';

/** Followers of one transfer. No worker runs: what it would write is written here. */
const w = ownWorld(test);
const one = (id: string, rest = '') => `/api/conversion/transfer/${id}${rest}`;

async function follow(user: User, path: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const authorization = `Bearer ${await w.tokenOf(user)}`;
  return openStream(`${await w.listen()}${path}`, { authorization, ...headers });
}

async function scene() {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  return { user, client, projectId, id: await newTransfer(client, projectId) };
}
const newTransfer = async (client: Client, projectId: string): Promise<string> =>
  (await start(client, copyRequest(projectId, await upload(w, client, 'x')))).body.id;

const write = (id: string, progress: number, phase: string) =>
  w.sql(
    `update transfers set status = 'InProgress', attempt = 1, worker_pool = 'x', deadline = now() + interval '1 hour',
       progress = $2, phase = $3 where id = $1`,
    [id, progress, phase],
  );

test('a stream sends the current transfer, then each change, and ends with the transfer', async (t) => {
  const { user, client, id } = await scene();
  const stream = await follow(user, one(id));
  t.is(stream.status, 200);
  t.regex(stream.type ?? '', /^text\/event-stream/);
  const [first] = await stream.until(1);
  const { logUrl: _, ...told } = first!.event;
  t.like((await client.get(one(id))).body, told, 'as the answer to a GET');
  await write(id, 10, 'Reading');
  await stream.until(2);
  await write(id, 10, 'Writing');
  await stream.until(3);
  await write(id, 60, 'Writing');
  await stream.until(4);
  await w.sql(
    `update transfers set status = 'Pending', worker_pool = null, deadline = null, phase = null where id = $1`,
    [id],
  );
  await stream.until(5);
  t.is((await client.post(one(id, '/cancel'))).status, 202);
  t.true(await stream.ended, 'by the server, in order');
  t.deepEqual(
    stream.heard.map(({ event }) => [event.status, event.progress, event.phase]),
    [
      ['Pending', 0, undefined],
      ['InProgress', 10, 'Reading'],
      ['InProgress', 10, 'Writing'],
      ['InProgress', 60, 'Writing'],
      ['Pending', 60, undefined],
      ['Error', 60, undefined],
    ],
  );
  t.is(stream.heard.at(-1)?.event.errorMessage, 'Cancelled.');
});

test('ended streams leave no listeners on their connection', async (t) => {
  const { user, client, id } = await scene();
  await client.post(one(id, '/cancel'));
  const url = `${await w.listen()}${one(id)}`;
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${await w.tokenOf(user)}` };
  const arrived: { port: number | undefined; listeners: number }[] = [];
  w.app.server.prependListener('request', ({ url: path, socket }: IncomingMessage) => {
    if (path === one(id)) arrived.push({ port: socket.remotePort, listeners: socket.listenerCount('timeout') });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  for (let stream = 0; stream < 3; stream++) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      get(url, { agent, headers }, resolve).on('error', reject),
    );
    t.regex(await text(answer), /"Error"/);
  }
  t.deepEqual(arrived, [arrived[0], arrived[0], arrived[0]]);
});

test('the stream of an ended transfer sends the transfer and ends, also on the legacy path', async (t) => {
  const { user, client, id } = await scene();
  await client.post(one(id, '/cancel'));
  for (const path of [one(id), `/api/transfer/${id}`]) {
    const stream = await follow(user, path);
    t.true(await stream.ended);
    t.deepEqual(
      stream.heard.map(({ event }) => event.status),
      ['Error'],
    );
  }
});

test('a transfer that is not visible is not found, and HEAD ends', async (t) => {
  const { user, id } = await scene();
  const stranger = await follow(await w.account(), one(id));
  t.is(stranger.status, 404);
  const headers = { accept: 'text/event-stream' };
  t.is((await w.as(user).send({ method: 'HEAD', url: one(id), headers })).status, 200);
  t.is((await w.nobody.get(one(id), headers)).status, 401);
});

test('a stream ends when its reader loses access to the transfer', async (t) => {
  const { client, projectId, id } = await scene();
  const reader = await w.account();
  await client.post(`/api/metadata/project/${projectId}/member`, { userId: reader.userId, role: 'Reader' });
  const stream = await follow(reader, one(id));
  await stream.until(1);
  t.is((await client.delete(`/api/metadata/project/${projectId}/member/${reader.userId}`)).status, 204);
  await write(id, 50, 'Reading');
  t.true(await stream.ended);
  t.is(stream.heard.length, 1, 'and tells nothing more');
});

test('a stream does not repeat itself when only the rights of its reader have changed', async (t) => {
  const { client, projectId, id } = await scene();
  const reader = await w.account();
  const member = `/api/metadata/project/${projectId}/member`;
  await client.post(member, { userId: reader.userId, role: 'Reader' });
  const stream = await follow(reader, one(id));
  await stream.until(1);
  t.is((await client.post(member, { userId: reader.userId, role: 'Contributor' })).status, 200);
  // the stream checks the transfer at each notification
  for (let n = 0; n < 5; n++) {
    await w.sql(`select pg_notify('${ENDED}', $1)`, [id]);
    await sleep(50);
  }
  await client.post(one(id, '/cancel'));
  t.true(await stream.ended);
  t.deepEqual(
    stream.heard.map(({ event }) => event.status),
    ['Pending', 'Error'],
  );
});

test('a stream sends no transfers of other tenants', async (t) => {
  const { user, id } = await scene();
  const headers = { 'svc-tenant-id': user.tenantId };
  const stream = await follow(user, one(id), headers);
  t.is(stream.status, 200);
  stream.close();
  t.is((await follow(user, one(id), { 'svc-tenant-id': await w.tenant() })).status, 403);
});

test.serial(
  'an account has at most two hundred concurrent streams; they share one connection, and a closed one frees its place',
  async (t) => {
    const { user, client, projectId } = await scene();
    const ids = await Promise.all(Array.from({ length: 8 }, () => newTransfer(client, projectId)));
    const streams = await Promise.all(Array.from({ length: 200 }, (_, n) => follow(user, one(ids[n % 8]!))));
    t.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    t.is((await follow(user, one(ids[0]!))).status, 429);
    const [{ count } = {}] = await w.sql<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'platform listen'`,
    );
    t.is(count, 1);
    await Promise.all(streams.map((stream) => stream.until(1)));
    for (const id of ids) await write(id, 40, 'Reading');
    await Promise.all(streams.map((stream) => stream.until(2)));
    t.deepEqual([...new Set(streams.map(({ heard }) => heard[1]?.event.progress))], [40]);
    for (const stream of streams) stream.close();
    for (let tries = 0; tries < 100; tries++) {
      const again = await follow(user, one(ids[0]!));
      again.close();
      if (again.status === 200) return t.pass();
      await sleep(50);
    }
    t.fail();
  },
);

test.serial('a client that leaves before the stream of transfers begins takes no place', async (t) => {
  const { user, id } = await scene();
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${await w.tokenOf(user)}` };
  const left = await leaveEarly(w.app.server, `${await w.listen()}${one(id)}`, { headers }, 200);
  await Promise.all(left.map(({ streams }) => streams));
  t.is(left.length, 200);
  const stream = await follow(user, one(id));
  t.is(stream.status, 200);
  stream.close();
});
