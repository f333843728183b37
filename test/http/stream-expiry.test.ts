import test from 'ava';
import { openStream } from '../world/streams.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import type { User } from '../world.ts';
import { world } from '../world.ts';

/** Tokens live long enough to open a stream on a busy machine. */
const w = world(test, { 'tokens.accessLifetime': '15s' });

let listening: Promise<string> | undefined;
async function follow(user: User, path: string) {
  listening ??= w.app.listen({ port: 0, host: '127.0.0.1' });
  return openStream(`${await listening}${path}`, { authorization: `Bearer ${await w.tokenOf(user)}` });
}

test('an idle stream of a transfer ends when its token expires', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const { id } = (await start(client, copyRequest(projectId, await upload(w, client, 'x')))).body;
  const stream = await follow(user, `/api/conversion/transfer/${id}`);
  t.true(await stream.ended);
  t.is(stream.heard.length, 1);
});

test('a stream of events ends when its token expires', async (t) => {
  const stream = await follow(await w.account(), '/api/eventing/event/list');
  t.is(stream.status, 200);
  t.true(await stream.ended);
});
