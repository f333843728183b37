import test from 'ava';
import { type EventStream, openStream } from '../world/streams.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { ownWorld, type User } from '../world.ts';

/** Tokens live long enough to open a stream on a busy machine. */
const LIFETIME = 15;
const w = ownWorld(test, { 'tokens.accessLifetime': `${LIFETIME}s` });

/** Opens a stream; with a new token, if the machine needed longer than a token lives. */
async function follow(user: User, path: string): Promise<EventStream> {
  for (;;) {
    const began = performance.now();
    const authorization = `Bearer ${await w.tokenOf(user)}`;
    const stream = await openStream(`${await w.listen()}${path}`, { authorization });
    if (stream.status !== 401 || performance.now() - began < LIFETIME * 1000) return stream;
  }
}

test('an idle stream of a transfer ends when its token expires', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const { id } = (await start(client, copyRequest(projectId, await upload(w, client, 'x')))).body;
  let stream: EventStream;
  // on a busy machine a token may expire before the first event is sent
  do {
    stream = await follow(user, `/api/conversion/transfer/${id}`);
    t.is(stream.status, 200);
    t.true(await stream.ended);
  } while (stream.heard.length === 0);
  t.is(stream.heard.length, 1);
});

test('a stream of events ends when its token expires', async (t) => {
  const stream = await follow(await w.account(), '/api/eventing/event/list');
  t.is(stream.status, 200);
  t.true(await stream.ended);
});
