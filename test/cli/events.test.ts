// Own thread: it awaits before its tests.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { main } from '../../cli/main.ts';
import { emit } from '../../src/outbox.ts';
import { openReceiver } from '../world/receiver.ts';
import { type User, world } from '../world.ts';
import { machines } from './machine.ts';
import { person } from './person.ts';

const receiver = await openReceiver((_, response, count) => void response.writeHead(count === 1 ? 500 : 204).end());
test.after.always('the receiver closes', receiver.close);
const w = world(test, { 'outbound.allow': receiver.place });
const machine = machines(w);
const happen = ({ userId, tenantId }: User, resourceId: string) =>
  w.db.transaction((tx) =>
    emit(tx, {
      type: 'svc.platform.events.transferfinishedevent',
      source: '/test',
      tenantId,
      userId,
      resourceId,
      data: { Status: 'Completed' },
    }),
  );
const owner = async () => w.account({ tenantId: await w.tenant(), role: 'Owner' });

test('events are listed in order, as lines or as the JSON of the API', async (t) => {
  const user = await owner();
  const { run, logIn } = await machine(t);
  await logIn(user.id);
  await happen(user, 'one');
  await happen(user, 'two');
  const { out } = await run(['event', 'list']);
  t.regex(
    out,
    /^OFFSET +TIME +TYPE +RESOURCE +WHAT\n.*transferfinished +one +Completed\n.*transferfinished +two +Completed\n$/,
  );
  const { data } = JSON.parse((await run(['event', 'list', '--json'])).out);
  t.is(data.length, 2);
  const rest = await run(['event', 'list', '--after', String(data[0].offset), '--json']);
  t.is(JSON.parse(rest.out).data[0].resourceid, 'two');
  t.is((await run(['event', 'list', '--after', 'x'])).code, 2);
  await happen(user, 'three');
  const resources = async (...options: string[]) =>
    JSON.parse((await run(['event', 'list', '--json', ...options])).out).data.map(
      ({ resourceid }: { resourceid: string }) => resourceid,
    );
  t.deepEqual(await resources('--limit', '2'), ['two', 'three'], 'the newest');
  t.deepEqual(await resources('--limit', '2', '--after', '0'), ['one', 'two'], 'the first ones after the offset');
});

// Serial: it breaks the connections of every test of this file.
test.serial('events are followed live; after a broken connection none is missing or repeated', async (t) => {
  const user = await owner();
  const { url, folder, logIn } = await machine(t);
  await logIn(user.id);
  await happen(user, '0');
  const { io, out, err } = person({ PLATFORM_URL: url, XDG_CONFIG_HOME: join(folder, 'config') });
  let ended = false;
  const following = main(['event', 'follow', '--after', '0', '--limit', '6', '--json'], io).finally(() => {
    ended = true;
  });
  for (let n = 1; n < 6; n++) {
    if (n === 3) {
      // a break before the first event would end the command
      while (!ended && !out().includes('"resourceid":"2"')) await sleep(20);
      w.app.server.closeAllConnections();
    }
    await happen(user, String(n));
  }
  t.is(await following, 0, err());
  const events = out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.deepEqual(
    events.map(({ resourceid }) => resourceid),
    ['0', '1', '2', '3', '4', '5'],
  );
  t.is(events[0].specversion, '1.0');
});

test('following events without permission is an error with a sentence', async (t) => {
  const { run } = await machine(t);
  t.is((await run(['event', 'follow'], { env: { PLATFORM_TOKEN: 'x' } })).code, 3);
});

test('a webhook is created, shown, replayed and deleted', async (t) => {
  const user = await owner();
  const { run, logIn } = await machine(t);
  await logIn(user.id);
  const made = await run(['webhook', 'create', 'https://hooks.example/in', '--type', 'transferfinished', '--json']);
  t.is(made.code, 0, made.err);
  const { id, secret, types } = JSON.parse(made.out);
  t.deepEqual(types, ['svc.platform.events.transferfinishedevent']);
  t.regex(secret, /^whsec_/);
  const shown = await run(['webhook', 'show', id]);
  t.regex(shown.out, /https:\/\/hooks\.example\/in/);
  t.false(shown.out.includes(secret));
  t.regex((await run(['webhook', 'list'])).out, new RegExp(id));
  await happen(user, 'one');
  t.is((await run(['webhook', 'replay', id, '--after', '0'])).out, '1 events are sent again.\n');
  t.regex((await run(['webhook', 'deliveries', id])).out, /Pending/);
  t.is((await run(['webhook', 'replay', id])).code, 2);
  t.is((await run(['webhook', 'delete', id])).out, `Webhook ${id} is deleted.\n`);
  t.is((await run(['webhook', 'show', id])).code, 1);
});

test('the caller’s own webhook secret is read from stdin', async (t) => {
  const user = await owner();
  const { run, logIn } = await machine(t);
  await logIn(user.id);
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const { out, err } = await run(['webhook', 'create', 'https://hooks.example/', '--secret-stdin'], {
    stdin: `${secret}\n`,
  });
  t.true(out.includes(secret), err);
  const refused = await run(['webhook', 'create', 'http://127.0.0.1/']);
  t.is(refused.code, 1);
  t.regex(refused.err, /'127\.0\.0\.1' is not a public address.*PLATFORM_OUTBOUND_ALLOW=127\.0\.0\.1:80\./);
});

test('webhook test prints what the receiver answered, and ends with 1 unless it accepted; webhook listen sends events to it', async (t) => {
  const user = await owner();
  const { run, logIn, folder, url } = await machine(t);
  await logIn(user.id);
  const { id } = JSON.parse((await run(['webhook', 'create', receiver.url, '--json'])).out);
  t.regex((await run(['webhook', 'list'])).out, /ID +STATUS +URL.*\n.* Active /);
  const accepted = await run(['webhook', 'test', id]);
  t.is(accepted.code, 0, accepted.err);
  t.regex(accepted.out, /^status +204\ntime +\d+ ms\n$/);
  const refused = await run(['webhook', 'test', id]);
  t.is(refused.code, 1);
  t.is(refused.err, 'platform: The receiver answered 500.\n');

  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const options = ['--after', '0', '--type', 'transferfinished', '--limit', '1'];
  const { io, out, err } = person({ PLATFORM_URL: url, XDG_CONFIG_HOME: join(folder, 'config') }, { stdin: secret });
  const listening = main(['webhook', 'listen', '--to', receiver.url, '--secret-stdin', ...options], io);
  await happen(user, 'one');
  t.is(await listening, 0, err());
  t.regex(out(), /^\d+ {2}\d{4}-.*transferfinished {2}one {2}Completed {2}204 in \d+ ms\n$/);
  const sent = receiver.received.at(-1)!;
  t.like(new Webhook(secret).verify(sent.body, sent.headers as Record<string, string>), { resourceid: 'one' });

  const printed = await run(['webhook', 'listen', ...options]);
  t.regex(printed.out, /transferfinished {2}one {2}Completed\n$/);
  t.is((await run(['webhook', 'listen', '--to', 'ftp://x'])).code, 2);
});
