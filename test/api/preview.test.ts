import { randomBytes } from 'node:crypto';
import test from 'ava';
import { forgetOldTokens } from '../../src/tokens/clean-up.ts';
import { attempt, codeOf, groupOf, wrongCodeOf } from '../world/authenticator.ts';
import { world } from '../world.ts';

const w = world(test);
const newCode = () => randomBytes(8).toString('hex');
const asAdmin = async () => w.as(await w.administrator());
const groupPath = (group: string) => `/api/usergroups/${group}/second-factor`;
const preview = async (group: string, entries: string[]) =>
  (await asAdmin()).post(`${groupPath(group)}/preview`, { entries });
const explain = async (account: string, ip: string) =>
  (await (await asAdmin()).get(`/api/tokens/explain?account=${account}&ip=${encodeURIComponent(ip)}`)).body;

test('a preview lists accounts that would be locked out, from the logins of the last 30 days', async (t) => {
  const [inside, outside, both, silent] = [await w.account(), await w.account(), await w.account(), await w.account()];
  const group = await groupOf(w, inside.id, []);
  for (const { id } of [outside, both, silent]) await (await asAdmin()).post(`/api/usergroups/user/${id}`, [group]);
  await attempt(w, { id: inside.id, from: '10.0.0.1' });
  await attempt(w, { id: outside.id, from: '203.0.113.9' });
  await attempt(w, { id: outside.id, from: '203.0.113.9' });
  await attempt(w, { id: both.id, from: '10.0.0.1' });
  await attempt(w, { id: both.id, from: '203.0.113.9' });
  await attempt(w, { id: silent.id, from: '203.0.113.9' });
  await w.sql('update logins set day = day - 31 where user_id = $1', [silent.userId]);
  await attempt(w, { id: inside.id, password: 'Wrong-horse-77', from: '203.0.113.9' });

  const { status, body } = await preview(group, ['CIDR:10.0.0.0/8']);
  t.is(status, 200);
  t.is(body.days, 30);
  t.deepEqual(body.lockedOut.sort(), [outside.id, both.id].sort());
  const account = (id: string) => body.accounts.find((one: { id: string }) => one.id === id);
  t.like(account(inside.id), { logins: 1, refused: [], asked: [] });
  t.like(account(outside.id), { logins: 2, asked: [], mustRegister: false });
  t.like(account(outside.id).refused, [{ address: '203.0.113.9', logins: 2 }]);
  t.like(account(both.id).refused, [{ address: '203.0.113.9', logins: 1 }]);
  t.like(account(silent.id), { logins: 0, refused: [] });
  t.is(account(outside.id).refused.length, 1);
  t.is((await attempt(w, { id: outside.id, from: '203.0.113.9' })).status, 200, 'nothing was changed');
});

test('a preview lists accounts that would need a code, and those without an authenticator', async (t) => {
  const [ready, unready, other] = [await w.account(), await w.account(), await w.account()];
  const setupCode = newCode();
  await groupOf(w, ready.id, ['CIDR:0.0.0.0/0', `APPAUTH:${setupCode}`]);
  await groupOf(w, other.id, ['CIDR:203.0.113.0/24']);
  const group = await groupOf(w, ready.id, []);
  for (const { id } of [unready, other]) await (await asAdmin()).post(`/api/usergroups/user/${id}`, [group]);
  for (const { id } of [ready, unready, other]) await attempt(w, { id, from: '203.0.113.9' });

  const { body } = await preview(group, [`APPAUTH:${newCode()}`]);
  const account = (id: string) => body.accounts.find((one: { id: string }) => one.id === id);
  t.like(account(ready.id), { asked: [] }, 'another group lets it in');
  t.like(account(other.id), { asked: [] });
  t.like(account(unready.id), { mustRegister: true });
  t.is(account(unready.id).asked[0].address, '203.0.113.9');
  t.deepEqual(body.lockedOut, []);
  t.false(JSON.stringify(body).includes(setupCode));

  const shared = newCode();
  const proving = await groupOf(w, unready.id, [`APPAUTH:${shared}`]);
  await attempt(w, { id: unready.id, otp: codeOf(shared), from: '203.0.113.9' });
  await (await asAdmin()).put(groupPath(proving), { entries: [] });
  const again = (await preview(group, [`APPAUTH:${shared}`])).body.accounts.find(
    (one: { id: string }) => one.id === unready.id,
  );
  t.false(again.mustRegister, 'a code of this authenticator was accepted before');
});

test('replacing the entries of a group changes nothing else; they are validated, and audited without secrets', async (t) => {
  const { id } = await w.account();
  const group = await groupOf(w, id, []);
  await w.sql(`update user_groups set metadata = '{"color":"red"}' where name = $1`, [group]);
  const setupCode = newCode();
  const admin = await asAdmin();
  t.is((await admin.put(groupPath(group), { entries: ['CIDR:10.0.0.0/8', `APPAUTH:${setupCode}`] })).status, 204);
  const metadata = async () => (await admin.get(`/api/usergroups/${group}`)).body.metadata;
  t.deepEqual(await metadata(), { color: 'red', '2FAMetadata': ['CIDR:10.0.0.0/8', `APPAUTH:${'*'.repeat(16)}`] });
  for (const path of [groupPath(group), `${groupPath(group)}/preview`]) {
    const body = { entries: ['CIDR:10.0.0.0/8', 'CIDR:10.0.0.0/33'] };
    const refused = path.endsWith('preview') ? await admin.post(path, body) : await admin.put(path, body);
    t.is(refused.status, 400);
    t.true(refused.body.detail.includes('10.0.0.0/33'));
  }
  const { entries } = (await admin.get(groupPath(group))).body;
  t.deepEqual(entries, ['CIDR:10.0.0.0/8', `APPAUTH:${'*'.repeat(16)}`]);
  const late = await admin.put(groupPath(group), { entries: [], before: ['CIDR:10.0.0.0/8'] });
  t.is(late.status, 409);
  t.is(late.body.code, 'SecondFactorChanged');
  t.is((await admin.get(groupPath('no such group'))).status, 404);
  t.is((await admin.put(groupPath('no such group'), { entries: [] })).status, 404);
  t.is((await admin.post(`${groupPath('no such group')}/preview`, { entries: [] })).status, 404);
  t.is((await admin.put(groupPath(group), { entries: [] })).status, 204);
  t.deepEqual(await metadata(), { color: 'red' });
  const rows = await w.sql<{ details: unknown }>(
    "select details from audit where action = 'group.set-second-factor' and subject = $1 order by id",
    [group],
  );
  t.deepEqual(rows[0]?.details, { networks: ['10.0.0.0/8'], authenticators: ['APPAUTH'] });
  t.is(rows.length, 2);
});

test('explain shows the groups, the matching network, whether a code is needed, and why a login is refused', async (t) => {
  const { id, userId } = await w.account();
  const setupCode = newCode();
  t.like(await explain(id, '10.1.2.3'), { outcome: 'free', groups: [], ownAuthenticators: [] });
  const office = await groupOf(w, id, ['CIDR:10.0.0.0/8&Comment:office', 'CIDR:192.0.2.1']);
  const matched = await explain(id.toUpperCase(), '10.1.2.3');
  t.like(matched, { account: id, outcome: 'free', network: '10.0.0.0/8' });
  t.deepEqual(matched.groups, [
    {
      name: office,
      networks: [
        { cidr: '10.0.0.0/8', matches: true },
        { cidr: '192.0.2.1', matches: false },
      ],
      authenticators: [],
      malformed: [],
    },
  ]);
  t.true(
    matched.reasons.includes(
      `10.1.2.3 is in the network 10.0.0.0/8 of the group ${office}: no one-time password is required.`,
    ),
  );
  t.like(await explain(id, '203.0.113.9'), { outcome: 'forbidden' });
  await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  const asked = await explain(id, '203.0.113.9');
  t.like(asked, { outcome: 'code' });
  t.deepEqual(asked.otpAuthenticatorIds, ['APPAUTH']);
  t.false(JSON.stringify(asked).includes(setupCode));
  await w.sql('update accounts set enabled = false where user_id = $1', [userId]);
  t.like(await explain(id, '10.1.2.3'), { outcome: 'refused', refusal: 'Account is disabled.' });
});

test('explain shows the counted failures of an address and an account', async (t) => {
  const { id } = await w.account();
  const setupCode = newCode();
  await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  for (let time = 0; time < 3; time++) await attempt(w, { id, password: 'Wrong-horse-77', from: '198.51.100.9' });
  await attempt(w, { id, otp: wrongCodeOf(setupCode), from: '198.51.100.9' });
  t.like(await explain(id, '198.51.100.9'), { otpFailures: 1, delay: { failures: 3, nextWaitSeconds: 0.004 } });
  t.like(await explain(id, '198.51.100.10'), { delay: { failures: 0, nextWaitSeconds: 0 } });
  const admin = await asAdmin();
  t.is((await admin.get('/api/tokens/explain?account=nobody-at-all&ip=10.0.0.1')).status, 404);
  t.is((await admin.get(`/api/tokens/explain?account=${id}&ip=example.org`)).status, 400);
});

test.serial('logins are deleted after 30 days, failed ones after an hour, ended token families later', async (t) => {
  const { id, userId } = await w.account();
  const { body } = await attempt(w, { id });
  await attempt(w, { id });
  await attempt(w, { id, password: 'Wrong-horse-77', from: '198.51.100.200' });
  await w.nobody.post('/api/tokens/refresh', JSON.stringify(body.refreshToken.token), {
    'content-type': 'application/json',
    'idempotency-key': 'once',
  });
  const count = async (table: string, where: string) =>
    (await w.sql<{ count: string }>(`select count(*) from ${table} where ${where}`))[0]?.count;
  const own = `user_id = '${userId}'`;
  await forgetOldTokens(w.db, 60_000);
  t.is(await count('logins', own), '1');
  t.is(await count('refresh_families', own), '2');
  t.is(await count('refresh_tokens', 'sealed_answer is not null'), '1');

  await w.sql('update logins set day = day - 31');
  await w.sql(`update refresh_families set expires_at = now() - interval '31 days' where id in
    (select family_id from refresh_tokens where used_at is null order by created_at limit 1)`);
  await w.sql("update refresh_tokens set used_at = now() - interval '61 s' where used_at is not null");
  await w.sql("update login_failures set last_at = now() - interval '61 minutes'");
  await forgetOldTokens(w.db, 60_000);
  t.is(await count('logins', own), '0');
  t.is(await count('refresh_families', own), '1');
  t.is(await count('refresh_tokens', 'sealed_answer is not null'), '0');
  t.is(await count('login_failures', 'true'), '0');
});
