import { hash } from 'node:crypto';
import { Agent } from 'node:http';
import test from 'ava';
import { tileScene } from '../http/tile-server.ts';
import { overHttp } from '../world/client.ts';
import { randomOf } from '../world/random.ts';
import { newFeatures, newTilesOf, steppedGrid } from '../world/tiles.ts';
import { type Answer, type User, world } from '../world.ts';

const w = world(test);

/** 10,000 checks take about a minute: `TILE_ACCESS_CHECKS=10000 npx ava test/api/tile-access.test.ts`. */
const CHECKS = Number(process.env.TILE_ACCESS_CHECKS ?? 1000);
const SEED = Number(process.env.TILE_ACCESS_SEED ?? 16);

interface Dataset {
  readonly id: string;
  readonly kind: 'tiles' | 'features';
  /** In no answer for those who may not see the dataset. */
  readonly mark: string;
}

interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Datasets that the caller sees. */
  readonly sees: readonly Dataset[];
  /** Status for the others. */
  readonly refused: readonly number[];
}

const schemes = (mark: string) => [
  { schemeId: `${mark}-depth`, tileWidth: 64, tileHeight: 64, minValue: 0, maxValue: 100 },
  { schemeId: `${mark}-map`, schemeType: 'XYZ', zoomLevels: [0, 12, 14, 15], firstLevelOnRequest: 14 },
];

const features = (mark: string) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [0, 1, 2].map((n) => ({
      type: 'Feature',
      properties: { name: `${mark}-${n}` },
      geometry: { type: 'Point', coordinates: [9 + n / 100, 54.1] },
    })),
  });

async function scene() {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const [reader, member, removed] = [
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const other = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const administrator = await w.administrator();
  const [own, foreign] = [w.as(owner), w.as(other)];
  const project = async (user: User, members: readonly User[]) => {
    const body = { name: 'Sea', members: members.map(({ userId }) => ({ userId, role: 'Reader' })) };
    return (await w.as(user).post('/api/metadata/project', body)).body.id as string;
  };
  const dataset = async (user: User, projectId: string, kind: Dataset['kind'], mark: string): Promise<Dataset> => ({
    kind,
    mark,
    id:
      kind === 'tiles'
        ? await newTilesOf(w, { projectId, user, name: mark }, steppedGrid(), schemes(mark))
        : await newFeatures(w, projectId, user, features(mark), mark),
  });
  const shared = await project(owner, [reader, removed]);
  const [closed, away] = [await project(owner, []), await project(other, [])];
  const [open, hidden, beyond] = [
    await dataset(owner, shared, 'tiles', 'open'),
    await dataset(owner, closed, 'tiles', 'hidden'),
    await dataset(other, away, 'tiles', 'beyond'),
  ];
  const [points, secret] = [
    await dataset(owner, shared, 'features', 'points'),
    await dataset(other, away, 'features', 'secret'),
  ];
  const link = async (projectId: string, { id }: Dataset, more = '') => {
    const query = `projectId=${projectId}&resourceId=${id}&readOnly=true${more}`;
    return (await own.get(`/api/security/sastoken?${query}`)).body.data as string;
  };
  const key = async (user: User) =>
    (await w.as(user).post('/api/iam/key', { name: 'robot', role: 'Reader', expiresAt: '2099-12-31' })).body
      .key as string;
  const [forOpen, forPoints] = [await link(shared, open), await link(shared, points)];
  const [expired, endedLink] = [await link(shared, open, '&expiration=0:00:00.001'), await link(closed, hidden)];
  const keys = { own: await key(owner), foreign: await key(other) };
  // Rights of these end now.
  const ended = await own.post(`/api/metadata/dataset/${hidden.id}/revoke-grants`, {});
  const gone = await own.delete(`/api/metadata/project/${shared}/member/${removed.userId}`);
  if (ended.status >= 300 || gone.status >= 300) throw new Error(`${ended.status} ${gone.status}`);
  await foreign.get('/api/metadata/project/list');
  const bearer = async (user: User) => ({ authorization: `Bearer ${await w.tokenOf(user)}` });
  const all = [open, hidden, beyond, points, secret];
  const callers: Caller[] = [
    { name: 'owner', headers: await bearer(owner), sees: [open, hidden, points], refused: [404] },
    { name: 'reader', headers: await bearer(reader), sees: [open, points], refused: [404] },
    { name: 'member without a role', headers: await bearer(member), sees: [], refused: [404] },
    { name: 'removed reader', headers: await bearer(removed), sees: [], refused: [404] },
    { name: 'other tenant', headers: await bearer(other), sees: [beyond, secret], refused: [404] },
    { name: 'administrator', headers: await bearer(administrator), sees: [], refused: [404] },
    { name: 'anonymous', headers: {}, sees: [], refused: [401] },
    { name: 'API key', headers: { 'svc-open-api-key': keys.own }, sees: [open, hidden, points], refused: [404] },
    { name: 'other key', headers: { 'svc-open-api-key': keys.foreign }, sees: [beyond, secret], refused: [404] },
    { name: 'link', headers: {}, query: forOpen, sees: [open], refused: [403, 404] },
    { name: 'link in a header', headers: { 'svc-sas-token': forPoints }, sees: [points], refused: [403, 404] },
    { name: 'expired link', headers: {}, query: expired, sees: [], refused: [403, 404] },
    { name: 'revoked link', headers: {}, query: endedLink, sees: [], refused: [403, 404] },
    { name: 'forged link', headers: {}, query: `${forOpen.slice(0, -6)}AAAAAA`, sees: [], refused: [403, 404] },
  ];
  return { callers, all };
}

/** Addresses of a dataset. Some have addresses with the signature of the link in their answers. */
function addressOf({ id, kind, mark }: Dataset, random: () => number): { path: string; hasAddresses?: true } {
  const below = (end: number) => Math.floor(random() * end);
  if (kind === 'features') {
    const path = `/api/vectortiles/dataset/${id}`;
    if (below(8) === 0) return { path: `${path}/tilejson.json`, hasAddresses: true };
    const level = below(15);
    // Half of the tiles have points.
    const [x, y] = below(2) === 0 ? [0.525 + below(3) / 36_000, 0.3217] : [random(), random()];
    return { path: `${path}/${level}/${Math.floor(x * 2 ** level)}/${Math.floor(y * 2 ** level)}.vector.pbf` };
  }
  const path = `/api/tiles/dataset/${id}`;
  const step = `timeStep=${below(3)}`;
  const [xyz, wmts] = [`${path}/scheme/${mark}-map`, `${path}/scheme/${mark}-depth`];
  const deep = below(2) === 0 ? 14 : 15;
  const [row, column] = [Math.floor(0.32175 * 2 ** deep) + below(3) - 1, Math.floor(0.5 * 2 ** deep) + below(4)];
  const onRequest = `${xyz}/${deep}/${row}/${column + Math.floor(0.025 * 2 ** deep)}?${step}`;
  const kvp = `service=WMTS&version=1.0.0&request=GetTile&layer=${mark}-depth&format=image/png&tileMatrixSet=${mark}-depth`;
  const choices: (() => { path: string; hasAddresses?: true })[] = [
    () => ({ path: `${wmts}/1/${below(1)}/${below(2)}?${step}` }),
    () => ({ path: `${xyz}/12/${below(4096)}/${below(4096)}?${step}` }),
    () => ({ path: onRequest }),
    () => ({ path: onRequest }),
    () => ({ path: `${path}/wmts?${kvp}&tileMatrix=1&tileRow=0&tileCol=${below(2)}` }),
    () => ({ path: `${wmts}/emptyTile` }),
    () => ({ path: `${xyz}/availability?${step}` }),
    () => ({ path: `${wmts}/legend` }),
    () => ({ path: `${path}/metadata` }),
    () => ({ path: `${xyz}/tilejson.json?${step}`, hasAddresses: true }),
    () => ({ path: `${path}/wmts`, hasAddresses: true }),
    () => ({ path: `${path}/wmts/1.0.0/WMTSCapabilities.xml`, hasAddresses: true }),
  ];
  return choices[below(choices.length)]!();
}

const seenText = ({ headers, raw }: Answer) => `${headers.etag} ${headers['content-type']} ${hash('sha1', raw)}`;

test('random callers see the tiles that they may see, with equal ETag and bytes, and no other tiles', async (t) => {
  const { callers, all } = await scene();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  t.teardown(() => agent.destroy());
  const get = await overHttp(await w.listen(), agent);
  const random = randomOf(SEED);
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  /** ETag, media type and bytes of an address. */
  const known = new Map<string, { text: string; etag: string }>();
  const counts = { seen: 0, current: 0, refused: 0 };
  for (let n = 0; n < CHECKS; n++) {
    const [caller, dataset] = [oneOf(callers), oneOf(all)];
    const { path, hasAddresses } = addressOf(dataset, random);
    const key = hasAddresses && (caller.query ?? caller.headers['svc-sas-token']) ? `${path} of ${caller.name}` : path;
    const before = known.get(key) ?? known.get(path);
    const isConditional = before !== undefined && random() < 0.3;
    const joined = caller.query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${caller.query}`;
    const headers = {
      ...caller.headers,
      'svc-service-id': 'tiles',
      ...(isConditional && { 'if-none-match': before.etag }),
    };
    const answer = await get(joined, headers);
    // from the cache, if the first answer was 200
    const repeats = random() < 0.2 ? 4 : 0;
    for (let m = 0; m < repeats; m++) {
      const again = await get(joined, headers);
      if (again.status !== answer.status || (again.status < 400 && seenText(again) !== seenText(answer)))
        t.fail(`check ${n} of seed ${SEED}: ${caller.name}, ${path}, again: ${again.status}`);
    }
    const what = `check ${n} of seed ${SEED}: ${caller.name}, ${path}: ${answer.status}`;
    if (!caller.sees.includes(dataset)) {
      counts.refused++;
      // The path is the instance of the problem.
      const text = answer.raw.toString().replaceAll(path.split('?')[0]!, '');
      if (!caller.refused.includes(answer.status) || answer.headers.etag !== undefined) t.fail(what);
      if (text.includes(`${dataset.mark}-`) || text.includes(`"${dataset.mark}"`))
        t.fail(`${what} tells ${dataset.mark}`);
      continue;
    }
    const own = known.get(key);
    if (isConditional && own !== undefined) {
      counts.current++;
      if (answer.status !== 304 || answer.headers.etag !== own.etag || answer.raw.length > 0) t.fail(what);
      continue;
    }
    if (answer.status !== 200 && answer.status !== 204) t.fail(`${what} ${answer.raw.subarray(0, 200)}`);
    counts.seen++;
    const text = seenText(answer);
    if (own !== undefined && own.text !== text) t.fail(`${what} differs: ${own.text} and ${text}`);
    if (answer.headers.etag !== undefined) known.set(key, { text, etag: String(answer.headers.etag) });
  }
  t.log(counts);
  t.true(counts.seen + counts.current > CHECKS / 6);
  t.true(counts.refused > CHECKS / 3 && counts.current > CHECKS / 100);
});

test('called with a link that grants writing, tile and feature routes return addresses that grant only reading', async (t) => {
  const { owner, projectId, id, features } = await tileScene(w);
  for (const resource of ['', 'dataset'])
    for (const [dataset, path] of [
      [id, `/api/tiles/dataset/${id}/wmts/1.0.0/WMTSCapabilities.xml`],
      [id, `/api/tiles/dataset/${id}/wmts`],
      [features, `/api/vectortiles/dataset/${features}/tilejson.json`],
      [features, `/api/gis/dataset/${features}/feature?limit=1`],
      [features, `/api/gis/dataset/${features}/ogc/collections`],
    ] as const) {
      const query = `projectId=${projectId}${resource === '' ? '' : `&resourceId=${dataset}`}`;
      const link = (await w.as(owner).get(`/api/security/sastoken?${query}`)).body.data;
      t.true(link.includes('sp=rcw'));
      const { status, raw } = await w.nobody.get(`${path}${path.includes('?') ? '&' : '?'}${link}`);
      t.is(status, 200, path);
      const answer = raw.toString();
      t.true(answer.includes('sp=r&') && !answer.includes('rcw'), path);
      const given = /sv=3[^"'<> ]*/.exec(answer)![0].replaceAll('&amp;', '&');
      t.is((await w.nobody.get(`${path}${path.includes('?') ? '&' : '?'}${given}`)).status, 200, path);
      const blob = `/api/blob/dataset/${dataset}?${given}`;
      t.is((await w.nobody.get(blob)).status, 200, path);
      t.is((await w.nobody.put(blob, Buffer.from('x'))).status, 403, path);
    }
});
