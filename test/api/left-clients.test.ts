import test from 'ava';
import { until } from '../world/hooks.ts';
import { leaveEarly } from '../world/leave-early.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);

test('a write whose client leaves before the answer is committed, and its Idempotency-Key is answered again', async (t) => {
  const administrator = await w.administrator();
  const client = w.as(administrator);
  t.is((await client.post('/api/usergroups', { name: 'gone', users: [] })).status, 201);
  const base = await w.listen();
  const key = { 'idempotency-key': 'left' };
  const headers = { authorization: `Bearer ${await w.tokenOf(administrator)}`, ...key };
  const left = await leaveEarly(w.app.server, `${base}/api/usergroups/gone`, { method: 'DELETE', headers });
  t.is(left.length, 1);
  await t.notThrowsAsync(until(async () => (await client.delete('/api/usergroups/gone', key)).status === 204));
  t.is((await client.get('/api/usergroups/gone')).status, 404);
  const open = "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'";
  await t.notThrowsAsync(until(async () => (await w.sql(open)).length === 0));
});

test('a key that is revoked by a client that leaves before the answer ends at once', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const made = await client.post('/api/iam/key', { tenantId: owner.tenantId, name: 'sync', role: 'Contributor' });
  t.is(made.status, 201);
  const key = { 'svc-open-api-key': made.body.key };
  t.is((await w.nobody.get('/api/project/list', key)).status, 200);
  const base = await w.listen();
  const headers = { authorization: `Bearer ${await w.tokenOf(owner)}` };
  await leaveEarly(w.app.server, `${base}/api/iam/key/${made.body.id}`, { method: 'DELETE', headers });
  await until(async () => (await w.sql('select from api_keys where id = $1', [made.body.id])).length === 0);
  await t.notThrowsAsync(until(async () => (await w.nobody.get('/api/project/list', key)).status === 401));
});
