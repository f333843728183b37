import test from 'ava';
import { putFirstLink } from '../../src/tenants/first-link.queries.ts';
import { newFirstLink } from '../../src/tenants/first-link.ts';
import { ownWorld, PASSWORD } from '../world.ts';

const URL = '/api/accounts/bootstrap';
const [first, second] = [ownWorld(test), ownWorld(test, { trustedProxies: '127.0.0.1' })];
const body = (token: string | undefined, id: string) => ({ token, id, password: PASSWORD });

test.serial('the link of a start makes one administrator, from this machine alone, once, within an hour', async (t) => {
  const send = (
    token: string | undefined,
    { id = 'first', ...rest }: { id?: string; [member: string]: unknown } = {},
  ) => first.nobody.send({ method: 'POST', url: URL, payload: body(token, id), ...rest });
  const [before, token] = [await newFirstLink(first.db), await newFirstLink(first.db)];
  t.is(Buffer.from(token!, 'base64url').length, 16);
  const [row] = await first.sql<{ hash: Buffer; lasts: boolean }>(
    `select hash, expires_at between now() + interval '59 minutes' and now() + interval '1 hour' as lasts
     from first_administrator_link`,
  );
  t.true(row!.lasts);
  t.false(row!.hash.includes(Buffer.from(token!, 'base64url')));

  for (const elsewhere of [
    { remoteAddress: '192.0.2.7' },
    { headers: { 'x-forwarded-for': '192.0.2.7' } },
    { headers: { host: 'platform.example.org' } },
    { headers: { origin: 'https://elsewhere.example' } },
  ]) {
    const answer = await send(token, elsewhere);
    t.deepEqual([answer.status, answer.body.code], [403, 'OtherHost'], JSON.stringify(elsewhere));
  }
  for (const wrong of [before, 'unknown', '']) {
    const answer = await send(wrong);
    t.deepEqual([answer.status, answer.body.code], [400, 'TokenNotValid'], wrong);
  }
  const weak = await first.nobody.send({
    method: 'POST',
    url: URL,
    payload: { ...body(token, 'first'), password: 'a' },
  });
  t.deepEqual([weak.status, weak.body.code], [400, 'InvalidPassword']);
  const noId = await send(token, { id: '' });
  t.deepEqual([noId.status, Object.keys(noId.body.errors)], [400, ['id']]);
  await first.sql("update first_administrator_link set expires_at = now() - interval '1 second'");
  t.is((await send(token)).body.code, 'TokenNotValid');
  await first.sql("update first_administrator_link set expires_at = now() + interval '1 hour'");

  const tries = await Promise.all(['a', 'b', 'c', 'd'].map((id) => send(token, { id })));
  t.deepEqual(tries.map(({ status }) => status).filter((status) => status === 201).length, 1);
  const winner = 'abcd'[tries.findIndex(({ status }) => status === 201)]!;
  t.is((await first.nobody.post('/api/tokens', { id: winner, password: PASSWORD })).status, 200);
  t.is((await first.sql('select from tenants')).length, 1);
  t.is((await first.sql("select from audit where action = 'admin.bootstrap' and address = '127.0.0.1'")).length, 1);

  t.is((await send(token, { id: 'replay' })).body.code, 'TokenNotValid');
  t.is(await newFirstLink(first.db), undefined);
});

test.serial('a link that is left over when there is an administrator makes no second one', async (t) => {
  const token = (await newFirstLink(second.db))!;
  // 127.0.0.1 is a proxy here, which forwards requests of anybody
  const proxied = await second.nobody.post(URL, body(token, 'x'));
  t.deepEqual([proxied.status, proxied.body.code], [403, 'OtherHost']);
  const send = (id: string) =>
    second.nobody.send({ method: 'POST', url: URL, payload: body(token, id), remoteAddress: '::1' });
  await second.administrator();
  const late = await send('late');
  t.deepEqual([late.status, late.body.code], [409, 'AdministratorExists']);
  await second.db.transaction((tx) => putFirstLink(tx, Buffer.alloc(32)));
  t.is((await send('other')).body.code, 'TokenNotValid');
});
