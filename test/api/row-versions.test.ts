import test from 'ava';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const root = async () => w.as(await w.administrator());
type Client = Awaited<ReturnType<typeof root>>;

/** A record that several people edit. */
interface Edited {
  read: () => Promise<{ rowVersion: string }>;
  /** Writes the value `n`; without a version, whatever is there. */
  write: (n: number, rowVersion?: string) => ReturnType<Client['put']>;
  /** What was written. */
  written: (record: never) => unknown;
}

const things: Record<string, () => Promise<Edited>> = {
  async account() {
    const [admin, { id }] = [await root(), await w.account()];
    return {
      read: async () => (await admin.get(`/api/accounts/${id}`)).body,
      write: (n, rowVersion) => admin.put('/api/accounts', { id, name: `Name ${n}`, rowVersion }),
      written: ({ name }: { name: string }) => name,
    };
  },
  async 'own account'() {
    const own = w.as(await w.account());
    return {
      read: async () => (await own.get('/api/accounts/me')).body,
      write: (n, rowVersion) => own.put('/api/accounts/me', { name: `Name ${n}`, rowVersion }),
      written: ({ name }: { name: string }) => name,
    };
  },
  async group() {
    const [admin, { id: user }] = [await root(), await w.account()];
    const { id } = (await admin.post('/api/usergroups', { name: `versions of ${user}` })).body;
    return {
      read: async () => (await admin.get(`/api/usergroups/${encodeURIComponent(id)}`)).body,
      write: (n, rowVersion) => admin.put('/api/usergroups', { id, metadata: { n }, rowVersion }),
      written: ({ metadata }: { metadata: { n: number } }) => metadata.n,
    };
  },
  async tenant() {
    const [admin, id] = [await root(), await w.tenant()];
    return {
      read: async () => (await admin.get(`/api/iam/tenant/${id}`)).body,
      write: (n, rowVersion) => admin.put(`/api/iam/tenant/${id}`, { name: `Tenant ${n}`, rowVersion }),
      written: ({ name }: { name: string }) => name,
    };
  },
  async feature() {
    const admin = await root();
    const body = { name: `Viewer ${Math.random()}`, type: 'Application' };
    const { featureId: id } = (await admin.post('/api/admin/feature', body)).body;
    return {
      read: async () =>
        (await admin.get('/api/admin/feature')).body.data.find((one: { featureId: string }) => one.featureId === id),
      write: (n, rowVersion) =>
        admin.put(`/api/admin/feature/${id}`, { ...body, url: `https://a.example/${n}`, rowVersion }),
      written: ({ url }: { url: string }) => url,
    };
  },
};

for (const [noun, make] of Object.entries(things)) {
  test(`of two writers of one version of a ${noun} one succeeds, and the other is told`, async (t) => {
    const { read, write, written } = await make();
    const before = await read();
    const answers = await Promise.all([1, 2].map((n) => write(n, before.rowVersion)));
    t.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const kept = answers.findIndex(({ status }) => status === 200);
    const refused = answers[1 - kept]!.body;
    const now = await read();
    t.not(now.rowVersion, before.rowVersion);
    t.like(refused, { code: 'StaleRowVersion', rowVersion: now.rowVersion });
    t.deepEqual(written(now as never), written(answers[kept]!.body as never));
    // older clients send no version
    t.is((await write(3)).status, 200);
    t.is((await write(4, (await read()).rowVersion)).status, 200);
  });
}

test('of two Owners who switch a licensed feature one is told that the other has done it', async (t) => {
  const [admin, tenantId] = [await root(), await w.tenant()];
  const owner = w.as(await w.account({ tenantId, role: 'Owner' }));
  const body = { name: `Switched ${tenantId}`, type: 'Service' };
  const { featureId: id } = (await admin.post('/api/admin/feature', body)).body;
  const at = `/api/admin/feature/${id}/tenant/${tenantId}`;
  await admin.put(`${at}/license`);
  const read = async () => (await owner.get('/api/admin/feature/tenant/list')).body.data[0];
  const { rowVersion } = await read();
  const answers = await Promise.all([1, 2].map(() => owner.patch(at, { enabled: false, rowVersion })));
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  t.is((await owner.patch(at, { enabled: true, rowVersion })).status, 409, 'what was read is off by now');
  const now = await read();
  t.false(now.enabled);
  t.is(answers.find(({ status }) => status === 200)!.body.rowVersion, now.rowVersion);
  t.is((await owner.patch(at, { enabled: true })).status, 200);
  const { rowVersion: again } = await read();
  await admin.put(`/api/admin/feature/${id}`, { ...body, url: 'https://a.example' });
  t.is((await read()).rowVersion, again, 'the version is that of the licence');
});

test('a version of a group tells of its members, also of those who went with their accounts', async (t) => {
  const admin = await root();
  const [one, two] = [await w.account(), await w.account()];
  const { id } = (await admin.post('/api/usergroups', { name: `members of ${one.id}`, users: [one.id] })).body;
  const read = async () => (await admin.get(`/api/usergroups/${encodeURIComponent(id)}`)).body;
  const changes = [
    () => admin.post(`/api/usergroups/user/${two.id}`, [id]),
    () => admin.delete(`/api/accounts/${two.id}`),
    () => admin.put('/api/usergroups', { id, users: [] }),
  ];
  for (const change of changes) {
    const { rowVersion } = await read();
    await change();
    t.is((await admin.put('/api/usergroups', { id, users: [one.id], rowVersion })).status, 409, String(change));
  }
  t.deepEqual((await read()).users, []);
});

test('a version of a group tells of setup codes, which look the same before and after', async (t) => {
  const admin = await root();
  const rules = (code: string) => ({ '2FAMetadata': [`APPAUTH:${code}`] });
  const body = { name: `codes ${Math.random()}`, metadata: rules('0123456789abcdef') };
  const { id, rowVersion, metadata } = (await admin.post('/api/usergroups', body)).body;
  const changed = (await admin.put('/api/usergroups', { id, metadata: rules('fedcba9876543210'), rowVersion })).body;
  t.deepEqual(changed.metadata, metadata);
  t.not(changed.rowVersion, rowVersion);
});

test('logins raise no version of an account, an administrator does', async (t) => {
  const [admin, { id }] = [await root(), await w.account()];
  const read = async () => (await admin.get(`/api/accounts/${id}`)).body;
  const before = await read();
  t.is((await w.nobody.post('/api/tokens', { id, password: PASSWORD })).status, 200);
  const after = await read();
  t.not(after.lastLoginAt, before.lastLoginAt);
  t.is(after.rowVersion, before.rowVersion);
  await admin.put('/api/accounts', { id, name: after.name, enabled: false });
  t.is((await admin.put('/api/accounts', { id, enabled: true, rowVersion: after.rowVersion })).status, 409);
});
