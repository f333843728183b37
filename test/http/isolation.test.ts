/**
 * Every route × {credentials that are broken, expired, revoked, of another issuer or audience; keys of another tenant,
 * network or role; another tenant, a lower role}. The list comes from the server itself: a route without a row fails.
 *
 * A room adds its rows in `isolation/<room>.ts`, whose default export is `Rows`; nothing else is needed. A row makes a
 * valid request on things of the scene's tenant and says what comes back to whom. Put `scene.mark` into the names of
 * what you make: no answer to another tenant may hold it.
 */
import test from 'ava';
import type { InjectOptions } from 'fastify';
import { copyRequest, newProject, upload } from '../world/transfers.ts';
import { world } from '../world.ts';
import { type Headers, newKey, worthless } from './isolation/credentials.ts';
import { newDataset } from './isolation/datasets.ts';
import type { Actor, PublicRow, Row, Scene } from './isolation/row.ts';
import { allRows, makeScene, routesOf } from './isolation/scene.ts';

const rows = await allRows();
const w = world(test, { 'accounts.registration': 'true' });
let made: Promise<Scene> | undefined;

/** Made once, by the first test that needs it. */
function theScene(): Promise<Scene> {
  made ??= makeScene(w);
  return made;
}

test('the table of callers and routes has exactly one row for each route', (t) => {
  const known = routesOf(w.app).map(({ name }) => name);
  t.deepEqual(
    known.filter((name) => !rows[name]),
    [],
    'routes without a row',
  );
  t.deepEqual(
    Object.keys(rows).filter((name) => !known.includes(name)),
    [],
    'rows without a route',
  );
});

test('a row is public exactly where its route is', (t) => {
  for (const { name, access } of routesOf(w.app)) {
    const row = rows[name];
    if (row) t.is('anybody' in row, access === 'public', name);
  }
});

let clients = 0;
/** Each from an address of its own: failed logins of one address are answered later and later. */
const send = (options: InjectOptions, headers: Headers = {}) =>
  w.app.inject({
    remoteAddress: `10.${clients >> 16}.${(clients >> 8) & 255}.${clients++ & 255}`,
    ...options,
    headers: { ...options.headers, ...headers },
  });
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

let faulty: Promise<Record<string, Headers>> | undefined;
const theWorthless = (scene: Scene) => (faulty ??= worthless(scene));

interface Keys {
  /** API key of another tenant. */
  foreign: string;
  /** API key of the scene's tenant for other client addresses. */
  elsewhere: string;
  /** API key of the scene's tenant, with the role Reader. */
  reader: string;
}
let keys: Promise<Keys> | undefined;
const theKeys = ({ owner, stranger }: Scene) => {
  const make = async (...wanted: Parameters<typeof newKey>) => (await newKey(...wanted)).key;
  keys ??= (async () => ({
    foreign: await make(w, stranger, {}),
    elsewhere: await make(w, owner, { allowedNetworks: ['192.0.2.0/24'] }),
    reader: await make(w, owner, { role: 'Reader' }),
  }))();
  return keys;
};

// one after the other: hundreds at once wait for the pool's few connections for longer than the server lets anybody
// wait
for (const [name, row] of Object.entries(rows)) {
  if ('anybody' in row) open(name, row);
  else closed(name, row);
}

test.serial('a start of another tenant reads no dataset of the scene that a transformation names', async (t) => {
  const scene = await theScene();
  const { stranger, mark } = scene;
  const client = w.as(stranger);
  const projectId = await newProject(client);
  const { id: datasetId } = await newDataset(scene);
  const more = {
    readerName: 'GeoTiffReader',
    writerName: 'GeoTiffWriter',
    transformations: [{ type: 'resampleTransformation', resample: { like: { datasetId } } }],
  };
  const payload = copyRequest(projectId, await upload(w, client, 'a raster'), more);
  const answer = await client.post('/api/conversion/upload-convert', payload);
  t.deepEqual([answer.status, answer.body.detail], [404, `Dataset '${datasetId}' was not found.`]);
  t.false(JSON.stringify(answer.body).includes(mark));
  const own = { ...payload, transformations: [] };
  t.is((await client.post('/api/conversion/upload-convert', own)).status, 200, 'the rest is valid');
});

function open(name: string, row: PublicRow) {
  test.serial(`${name}: anybody`, async (t) => {
    const scene = await theScene();
    t.is((await send(await row.request(scene))).statusCode, row.anybody);
    t.is((await send(await row.request(scene), bearer('x'))).statusCode, row.anybody);
  });
}

function closed(name: string, row: Row) {
  test.serial(`${name}: no credentials, and invalid ones`, async (t) => {
    const scene = await theScene();
    const request = await row.request(scene);
    for (const [fault, headers] of Object.entries({ nobody: {}, ...(await theWorthless(scene)) })) {
      const answer = await send(request, headers);
      t.is(answer.statusCode, 401, `${fault}: ${answer.body}`);
      t.is(answer.headers['www-authenticate'], 'Bearer');
      t.false(answer.body.includes(scene.mark), fault);
    }
  });
  test.serial(`${name}: keys of another tenant, of another network, with a lower role`, async (t) => {
    const scene = await theScene();
    const { foreign, elsewhere, reader } = await theKeys(scene);
    const outside = await send(await row.request(scene), { 'svc-open-api-key': elsewhere });
    t.is(outside.statusCode, 403, outside.body);
    t.false(outside.body.includes(scene.mark));

    const other = await send(await row.request(scene), { 'svc-open-api-key': foreign });
    t.false(other.body.includes(scene.mark), other.body);
    t.not(other.statusCode, 500, other.body);
    if (row.refused.stranger !== undefined) t.true(other.statusCode >= 400, other.body);

    if (row.refused.reader === undefined) return;
    const lower = await send(await row.request(scene), { 'svc-open-api-key': reader });
    t.true([403, 404].includes(lower.statusCode), lower.body);
  });
  const actors = Object.entries({ ...row.refused, ...row.allowed }) as [Actor, number][];
  test.serial(`${name}: ${actors.map(([actor]) => actor).join(', ')}`, async (t) => {
    const scene = await theScene();
    t.true('stranger' in { ...row.refused, ...row.allowed }, 'a row says what another tenant gets');
    t.not(Object.keys(row.allowed).length, 0, 'a row says who may');
    for (const [actor, status] of actors) {
      const answer = await send(await row.request(scene), bearer(await w.tokenOf(scene[actor])));
      t.is(answer.statusCode, status, `${actor}: ${answer.body}`);
      if (actor === 'stranger') t.false(answer.body.includes(scene.mark), answer.body);
    }
  });
}
