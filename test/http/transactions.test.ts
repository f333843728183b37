/**
 * No transaction of the API keeps its connection while it waits for anything but its own statements: passwords that are
 * hashed, files that are copied and receivers that are called take as long as they like, and the pool has few
 * connections. Every route is called; those that write with an Idempotency-Key and without.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { InjectOptions } from 'fastify';
import { insertToken } from '../../src/accounts/mail.queries.ts';
import { newMailToken } from '../../src/accounts/mail-token.ts';
import { sql } from '../../src/db.ts';
import { attempt, codeOf, setupCodeFrom } from '../world/authenticator.ts';
import { newDataset } from '../world/content.ts';
import { newTilesOf, steppedGrid } from '../world/tiles.ts';
import { waitsWithin } from '../world/transactions.ts';
import { ASCII_GRID, copyRequest, local, newProject, sharePath, upload } from '../world/transfers.ts';
import { PASSWORD, world } from '../world.ts';
import type { Actor, Scene } from './isolation/row.ts';
import { allRows, makeScene, routesOf } from './isolation/scene.ts';

const rows = await allRows();
const w = world(test, { 'accounts.registration': 'true' });
const WRITES = /^(POST|PUT|PATCH|DELETE) /;

type Headers = Record<string, string>;

let made: Promise<Scene> | undefined;
const theScene = () => (made ??= makeScene(w));
let clients = 0;
const newClient = () => `10.1.${clients >> 8}.${clients++ & 255}`;

test.serial(
  'a wait for a file, a timer or another connection inside a transaction is noticed, and statements are not',
  async (t) => {
    const one = sql.unsafe`select 1`;
    const within = async (work: () => Promise<unknown>) => {
      const waits = await waitsWithin(() =>
        w.db.transaction(async (tx) => {
          await tx.query(one);
          await work();
          await tx.query(one);
        }),
      );
      return waits.map(({ after, before }) => ({ after, before }));
    };
    t.deepEqual(await within(async () => {}), []);
    const waited = [{ after: 'select 1', before: 'select 1' }];
    t.deepEqual(await within(() => w.db.transaction((tx) => tx.query(one)).then(() => {})), waited);
    t.deepEqual(await within(() => sleep(1)), waited);
    t.deepEqual(await within(() => readFile(new URL(import.meta.url))), waited);
    t.deepEqual(
      await waitsWithin(() => w.db.transaction((tx) => tx.query(one)).then(() => sleep(1))),
      [],
      'outside of a transaction',
    );
  },
);

/** Asks with each of the keys, and sees that nothing but statements is waited for inside of a transaction. */
async function stays(
  t: ExecutionContext,
  request: () => Promise<InjectOptions>,
  actor: Actor | undefined,
  status: number,
  keys: readonly (string | undefined)[] = [undefined, randomUUID()],
) {
  const scene = await theScene();
  for (const key of keys) {
    // anew, because some requests end the login
    const signedIn: Headers = actor ? { authorization: `Bearer ${await w.tokenOf(scene[actor])}` } : {};
    const wanted = await request();
    const headers: Headers = { ...(wanted.headers as Headers), ...signedIn, ...(key && { 'idempotency-key': key }) };
    const waits = await waitsWithin(async () => {
      const answer = await w.app.inject({ remoteAddress: newClient(), ...wanted, headers });
      t.is(answer.statusCode, status, answer.body);
    });
    t.deepEqual(waits, [], key ? 'with a key' : 'without a key');
  }
}

for (const [name, row] of Object.entries(rows)) {
  const [actor, status] =
    'anybody' in row ? [undefined, row.anybody] : (Object.entries(row.allowed)[0] as [Actor, number]);
  const keys = WRITES.test(name) ? undefined : [undefined];
  test.serial(name, (t) => stays(t, async () => row.request(await theScene()), actor, status, keys));
}

/** As a browser sends the form of a page. */
const form = (url: string, members: Record<string, string>): InjectOptions => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(members).toString(),
});

/** Requests that do more than those of the rows, among them all that hash, copy, sign or seal something. */
const more: Record<string, { actor?: Actor; status: number; request(scene: Scene): Promise<InjectOptions> }> = {
  'PUT /api/accounts/me, a password': {
    actor: 'member',
    status: 200,
    request: async () => ({ method: 'PUT', url: '/api/accounts/me', payload: { name: 'Me', password: PASSWORD } }),
  },
  'PUT /api/accounts, a password': {
    actor: 'administrator',
    status: 200,
    request: async ({ reader }) => ({
      method: 'PUT',
      url: '/api/accounts',
      payload: { id: reader.id, password: PASSWORD },
    }),
  },
  'PUT /api/accounts/activation, a good token': {
    status: 204,
    request: async () => ({ method: 'PUT', url: `/api/accounts/activation?token=${await mailToken('activation')}` }),
  },
  'PUT /api/accounts/password, a good token': {
    status: 204,
    request: async () => ({
      method: 'PUT',
      url: `/api/accounts/password?token=${await mailToken('passwordReset')}`,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(PASSWORD),
    }),
  },
  'POST /api/accounts/activation, the page with a good token': {
    status: 200,
    request: async () => form('/api/accounts/activation', { token: await mailToken('activation') }),
  },
  'POST /api/accounts/password, the page with a good token': {
    status: 200,
    request: async () =>
      form('/api/accounts/password', { token: await mailToken('passwordReset'), password: PASSWORD, again: PASSWORD }),
  },
  'POST /api/tokens/otp/registration, with the right password': {
    status: 200,
    request: async () => ({
      method: 'POST',
      url: '/api/tokens/otp/registration',
      payload: { id: (await w.account()).id, password: PASSWORD },
    }),
  },
  'POST /api/tokens, a code': {
    status: 200,
    request: async () => {
      const { id } = await w.account();
      const { body } = await attempt(w, { id }, '/api/tokens/otp/registration');
      const otp = codeOf(setupCodeFrom(body.manualEntryCode));
      return { method: 'POST', url: '/api/tokens', payload: { id, password: PASSWORD, otp } };
    },
  },
  'POST /api/tokens/revocation, a good token': {
    status: 200,
    request: async ({ member }) => {
      const { body } = await attempt(w, { id: member.id });
      return {
        method: 'POST',
        url: '/api/tokens/revocation',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(body.refreshToken.token),
      };
    },
  },
  'PUT /api/tokens/session, a good cookie': {
    status: 200,
    request: async ({ member }) => {
      const headers = { 'svc-session': '1' };
      const started = await w.nobody.post('/api/tokens/session', { id: member.id, password: PASSWORD }, headers);
      const cookie = String([started.headers['set-cookie']].flat()[0]).split(';', 1)[0] ?? '';
      return { method: 'PUT', url: '/api/tokens/session', headers: { ...headers, cookie } };
    },
  },
  'POST /api/share/:token/convert, an open link': {
    status: 202,
    request: async (scene) => {
      const owner = w.as(scene.owner);
      const file = { name: 'Valley', datasetFormat: 'asciigrid', content: ASCII_GRID };
      const datasetId = await newDataset(w, await newProject(owner), scene.owner, file);
      const { body } = await owner.post(`/api/metadata/dataset/${datasetId}/share`, { downloads: 'Formats' });
      const url = `${sharePath(body.url)}/convert`;
      return { method: 'POST', url, payload: { writerName: 'GeoTiffWriter' } };
    },
  },
  'POST /api/hierarchy/project/:id, a file': {
    actor: 'owner',
    status: 200,
    request: async ({ owner }) => ({
      method: 'POST',
      url: `/api/hierarchy/project/${await newProject(w.as(owner))}`,
      payload: { actions: [{ type: 'PathActionCreate', path: 'folder/file.txt' }] },
    }),
  },
  'POST /api/conversion/project/:id/file/import-staged, the same file twice': {
    actor: 'owner',
    status: 200,
    request: async ({ owner }) => {
      const url = await upload(w, w.as(owner), 'bytes');
      const files = ['one', 'two'].map((fileName) => ({ url, fileName }));
      const project = await newProject(w.as(owner));
      return { method: 'POST', url: `/api/conversion/project/${project}/file/import-staged`, payload: { files } };
    },
  },
  'POST /api/conversion/upload-convert, from elsewhere with a password': {
    actor: 'owner',
    status: 200,
    request: async ({ owner }) => ({
      method: 'POST',
      url: '/api/conversion/upload-convert',
      payload: copyRequest(await newProject(w.as(owner)), 'https://me:secret@files.example/notes.txt'),
    }),
  },
  'GET /api/tiles/dataset/:id/scheme/:schemeId/:tileMatrix/:tileRow/:tileCol, drawn on request': {
    actor: 'owner',
    status: 200,
    request: async ({ owner }) => {
      const projectId = await newProject(w.as(owner));
      const scheme = { schemeId: 'map', schemeType: 'XYZ', zoomLevels: [14, 16], firstLevelOnRequest: 16 };
      const id = await newTilesOf(w, { projectId, user: owner, name: 'tiles' }, steppedGrid(), [scheme]);
      const { body } = await w.as(owner).get(`/api/tiles/dataset/${id}/scheme/map/availability`);
      const { minTileRow, minTileCol } = body.tileMatrixSetLimits.find(
        (one: { tileMatrix: string }) => one.tileMatrix === '16',
      );
      return { url: `/api/tiles/dataset/${id}/scheme/map/16/${minTileRow}/${minTileCol}` };
    },
  },
  'POST /api/preview/dataset/:id/retry, of a file that cannot be read': {
    actor: 'owner',
    status: 202,
    request: async ({ owner }) => {
      const id = await newDataset(w, await newProject(w.as(owner)), owner, { content: 'II*\0 is no GeoTIFF' });
      await w.as(owner).get(`/api/preview/dataset/${id}`);
      return { method: 'POST', url: `/api/preview/dataset/${id}/retry` };
    },
  },
  'PUT /api/blob/:area/:name, granted': {
    status: 201,
    request: async ({ owner }) => ({ method: 'PUT', url: await granted(owner), payload: 'bytes' }),
  },
  'DELETE /api/blob/:area/:name, granted': {
    status: 202,
    request: async ({ owner }) => {
      const url = await granted(owner);
      await w.nobody.put(url, Buffer.from('bytes'));
      return { method: 'DELETE', url };
    },
  },
};

for (const [name, { actor, status, request }] of Object.entries(more))
  test.serial(name, (t) => stays(t, async () => request(await theScene()), actor, status));

test('each route that writes is among them, with a request that succeeds', (t) => {
  const succeeds = (name: string) => {
    const row = rows[name];
    const statuses = row && ('anybody' in row ? [row.anybody] : Object.values(row.allowed));
    const besides = Object.entries(more).filter(([title]) => title === name || title.startsWith(`${name}, `));
    return [...(statuses ?? []), ...besides.map(([, { status }]) => status)].some((status) => status < 300);
  };
  const lacking = routesOf(w.app).filter(({ name }) => WRITES.test(name) && !succeeds(name));
  // require a platform without an administrator, and a code of a registered authenticator
  t.deepEqual(
    lacking.map(({ name }) => name).filter((name) => rows[name] && !isNotImplemented(name)),
    ['POST /api/accounts/bootstrap', 'POST /api/tokens/otp/recovery-codes'],
  );
});

const isNotImplemented = (name: string) => {
  const row = rows[name];
  return row !== undefined && 'allowed' in row && Object.values(row.allowed).every((status) => status === 501);
};

async function mailToken(kind: 'activation' | 'passwordReset'): Promise<string> {
  const { userId } = await w.account();
  const { token, hash } = newMailToken();
  await w.db.transaction((tx) => insertToken(tx, { userId, kind, mailId: randomUUID(), hash }, 60_000));
  return token;
}

const granted = async (owner: Scene['owner']) =>
  local((await w.as(owner).get('/api/conversion/transfer/upload-url')).body.data);
