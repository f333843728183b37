import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { ownWorld, PASSWORD_ITERATIONS } from '../world.ts';

const w = ownWorld(test);

/** Another server on the same database, which knows nothing of what this one keeps in mind. */
async function anotherServer(t: { teardown(work: () => Promise<void>): void }) {
  const { config, db, url, blobs } = w;
  const log = pino({ level: 'fatal' });
  const app = await buildApp({ config, db, databaseUrl: url, blobs, log, passwordIterations: PASSWORD_ITERATIONS });
  t.teardown(() => app.close());
  return app;
}

test('changes of groups, memberships, enabled state, keys and logins apply in every process within 10 s', async (t) => {
  const other = await anotherServer(t);
  const admin = w.as(await w.administrator());
  const tenantId = await w.tenant();
  const [promoted, member, disabled, keeper, loggedOut] = [
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId, role: 'Owner' }),
    await w.account({ tenantId }),
  ];
  const { body: key } = await w.as(keeper).post('/api/iam/key', { name: 'x', role: 'Owner' });
  const bearer = async (user: { userId: string }) => ({ authorization: `Bearer ${await w.tokenOf(user)}` });
  const checks: [url: string, headers: Record<string, string>, before: number, after: number][] = [
    ['/api/usergroups', await bearer(promoted), 403, 200],
    [`/api/iam/tenant/${tenantId}`, await bearer(member), 200, 404],
    ['/api/iam/principal/me', await bearer(disabled), 200, 401],
    ['/api/iam/principal/me', { 'svc-open-api-key': key.key }, 200, 401],
    ['/api/iam/principal/me', await bearer(loggedOut), 200, 401],
  ];
  const statuses = () =>
    Promise.all(checks.map(async ([url, headers]) => (await other.inject({ url, headers })).statusCode));
  t.deepEqual(
    await statuses(),
    checks.map(([, , before]) => before),
  );
  await admin.post(`/api/usergroups/user/${promoted.id}`, ['Administrators']);
  await admin.delete(`/api/iam/tenant/${tenantId}/member/${member.userId}`);
  await w.sql('update accounts set enabled = false where user_id = $1', [disabled.userId]);
  await admin.delete(`/api/iam/key/${key.id}`);
  await w.as(loggedOut).delete('/api/tokens/family');
  const changed = performance.now();
  const expected = checks.map(([, , , after]) => after);
  // on a busy machine an answer may be late: the time of the request counts
  for (;;) {
    const asked = performance.now();
    const seen = await statuses();
    if (seen.join() === expected.join()) return t.pass();
    if (asked - changed >= 10_000) return t.deepEqual(seen, expected);
    await sleep(500);
  }
});
