import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { bytes } from '../blobs/rules.ts';
import { collection, feature, geometryOf } from '../formats/features.ts';
import { converted } from '../formats/files.ts';
import { newDataset } from '../world/content.ts';
import { newSeries, newSeriesDataset } from '../world/series.ts';
import { newTiles } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';
import { choices, LONG, SEED, times } from './flags.ts';

const w = world(test, { 'database.poolSize': '6' });

/** Requests in all, and at once. */
const REQUESTS = times(1500, 50_000);
const AT_ONCE = 4;
/** Number of requests per access token: some requests end the login. */
const TOKEN_LASTS = 200;

const choose = choices(17);
const chance = (share: number) => choose.share() < share;
const whole = (most: number) => Math.floor(choose.between(0, most + 1));

/** Values as they stand in a URL: encoded, half encoded, or not at all. */
const ODD = [
  '',
  '%00',
  'a%00b',
  '%',
  '%2',
  '%zz',
  '%c3%28',
  '%ff%fe',
  '\u00e9\u00ff',
  '%ed%a0%80',
  '\\',
  '%5c',
  '..%5c..%5cpackage.json',
  '..%2f..%2fpackage.json',
  '%2e%2e%2fpackage.json',
  '....//',
  '//',
  '%2f',
  '.',
  '..',
  '%2e%2e',
  '%20',
  '+',
  '%0d%0aset-cookie:%20a=1',
  '-1',
  '0',
  '1.5',
  '1e400',
  '-0',
  'NaN',
  'Infinity',
  '9007199254740993',
  '99999999999999999999999999',
  '-99999999999999999999999999',
  '2147483648',
  '0x10',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[object%20Object]',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  "'",
  '%22',
  '%27%3b--',
  '%25',
  '%24%7b1%7d',
  '*',
  '?',
  '%3f',
  '%23',
  '%26sig%3d1',
  '%e2%80%ae',
  '%f0%9f%8c%8a',
  '0000-00-00',
  '2026-02-30',
  '275761-01-01T00:00:00',
  '-000001-01-01',
  '10675200.00:00:00',
  'P1D',
  '1,2,3',
  '1,2,3,4,5',
  '180,90,-180,-90',
  'NaN,NaN,NaN,NaN',
  'EPSG:99999999',
  'POINT(',
  'POLYGON((0%200,1e308%201e308,0%200))',
  'a'.repeat(300),
  'a'.repeat(1100),
  '%41'.repeat(500),
  '9'.repeat(400),
  '('.repeat(900),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];
const BODIES = [
  '',
  '{}',
  '[]',
  'null',
  '0',
  '""',
  '{',
  '[null]',
  '{"__proto__":{"a":1}}',
  '{"constructor":1}',
  '{"id":"\\u0000"}',
  '{"name":"\\ud800"}',
  '{"a":1e400}',
  '"\ufeff"',
  '['.repeat(499) + ']'.repeat(499),
];
const ACCEPTS = [
  '*/*',
  'application/json',
  'text/html',
  'text/event-stream',
  'image/png',
  'application/xml',
  ',;q=',
  '',
];
/** Values that take a route further than odd ones do. */
const LIKELY: Record<string, readonly string[]> = {
  bbox: ['8,54,9,55', '-180,-90,180,90'],
  limit: ['1', '10'],
  offset: ['0'],
  z: ['0', '3', '22'],
  x: ['0', '4'],
  y: ['0', '2'],
  service: ['WMTS', 'WMS'],
  request: ['GetTile', 'GetCapabilities', 'GetFeatureInfo'],
};

interface Route {
  method: string;
  path: string;
  query: readonly string[];
  example?: string | undefined;
}

/** Routes of the OpenAPI document, and those beside it. */
async function routes(): Promise<Route[]> {
  const { paths, components } = (await w.nobody.get('/openapi.json')).body;
  const exampleOf = (operation: Record<string, never>) => {
    const [media] = Object.values((operation.requestBody as { content?: object } | undefined)?.content ?? {});
    const name = media?.examples?.plain?.$ref?.split('/').at(-1);
    return name === undefined ? undefined : JSON.stringify(components.examples[name].value);
  };
  const described = Object.entries(paths as Record<string, Record<string, Record<string, never>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        query: ((operation.parameters ?? []) as { in?: string; name: string }[])
          .filter((one) => one.in === 'query')
          .map(({ name }) => name),
        example: exampleOf(operation),
      })),
  );
  const get = (path: string) => ({ method: 'GET', path, query: [] });
  const others = [
    '/openapi.json',
    '/docs',
    '/docs/json',
    '/docs/yaml',
    '/docs/static/{file}',
    '/{any}',
    '/api/{any}/{id}',
  ];
  return [...described, ...others.map(get)];
}

/** Ids of objects that exist, by what stands before them in the path. */
async function scene(t: ExecutionContext) {
  const user = await w.administrator();
  const client = w.as(user);
  const project = await newProject(client);
  const series = await newSeriesDataset(client);
  const path = await newSeries(client, series.url);
  const points = [0, 1, 2].map((n) => feature(geometryOf('Point', [8 + n / 10, 54]), { n, name: `Well ${n}` }));
  const content = (await converted(t, collection(points), { reader: 'GeoJsonReader', writer: 'GISWriter' })).bytes;
  const kind = { name: 'Wells', datasetType: 'gisvectordata', datasetFormat: 'gis' } as const;
  const wells = await newDataset(w, project, user, { ...kind, content });
  const tiles = await newTiles(w, project, user);
  const link = async (id: string) =>
    String(
      (await client.get(`/api/security/sastoken?resourceId=${id}`, { 'svc-project-id': project })).body.data ?? '',
    );
  await w.blobs.put(`staging/${project}`, bytes(Buffer.from('text')), 100);
  return {
    user,
    project,
    wells,
    tiles,
    series: series.id,
    tsId: path.slice(path.lastIndexOf('/') + 1),
    links: await Promise.all([link(wells), link(tiles)]),
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** A value for a parameter of the path. */
function partOf(name: string, { path, method }: Route, known: Scene): string {
  if (chance(0.3)) return choose.of(ODD);
  const likely = LIKELY[name];
  if (likely && chance(0.8)) return choose.of(likely);
  // what is deleted would be missing from then on
  if (method === 'DELETE') return choose.of(['00000000-0000-4000-8000-000000000000', ...ODD]);
  if (name === 'tsId') return known.tsId;
  if (name === 'page') return 'concepts';
  if (name === 'area') return choose.of(['staging', 'dataset', 'export', 'other']);
  if (/project/.test(path) && name === 'id') return known.project;
  if (/\/ts\//.test(path)) return known.series;
  if (/tiles/.test(path)) return choose.of([known.tiles, known.wells]);
  if (name === 'schemeId' || name === 'scheme') return choose.of(['depth', 'raw', 'map']);
  return choose.of([known.wells, known.tiles, known.project, known.user.userId, 'depth', 'map', 'features', '0']);
}

function queryOf({ query }: Route, known: Scene): string {
  const parts = Array.from({ length: whole(4) }, () => {
    const name =
      chance(0.8) && query.length > 0 ? choose.of(query) : choose.of([...ODD, 'api-version', 'sig', 'se', 'token']);
    const spelt = choose.of([
      name,
      name,
      name.toUpperCase(),
      `${name}[]`,
      `${name}[a]`,
      `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    ]);
    const likely = LIKELY[name];
    const value = likely && chance(0.5) ? choose.of(likely) : choose.of(ODD);
    return choose.of([
      `${spelt}=${value}`,
      `${spelt}=${value}&${spelt}=${value}`,
      spelt,
      `${spelt}=${value}&${name}=1`,
    ]);
  });
  if (chance(0.3))
    parts.push(
      ...choose
        .of(known.links)
        .split('&')
        .filter(() => chance(0.9)),
    );
  return parts.length === 0
    ? ''
    : `${choose.of(['?', '?', '?', '?a?'])}${parts.join(choose.of(['&', '&', '&', '?', ';']))}`;
}

const clean = (text: string) => text.replace(/[^\u0021-\u00ff]/g, '%20');

test(`No request with an odd path, query or body is answered with a 5xx (seed ${SEED})`, async (t) => {
  if (LONG) t.timeout(3_600_000);
  const all = (await routes()).filter(({ path }) => path.includes(process.env.CRASH_ROUTES ?? ''));
  const known = await scene(t);
  const address = new URL(await w.listen());
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  t.teardown(() => agent.destroy());
  const statuses = new Map<number, number>();
  const failed: string[] = [];
  let sent = 0;
  let token = '';

  async function one() {
    if (sent++ % TOKEN_LASTS === 0) token = await w.tokenOf(known.user);
    const route = choose.of(all);
    const filled = route.path.replace(/\{(\w+)\}/g, (_, name) => partOf(name, route, known));
    const path = clean(filled + queryOf(route, known));
    const method = chance(0.9) ? route.method : choose.of(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
    const hasBody = !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
    const body = hasBody ? (chance(0.4) ? choose.of(BODIES) : mutated(route.example ?? '{}')) : undefined;
    const headers: Record<string, string> = {
      accept: choose.of(ACCEPTS),
      ...(chance(0.7) ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...(chance(0.3) ? { 'svc-project-id': known.project } : {}),
    };
    const { hostname, port } = address;
    const asked = request({ hostname, port, path, method, headers, agent, signal: AbortSignal.timeout(120_000) });
    asked.end(body);
    try {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      const status = answer.statusCode ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500 && status !== 501) failed.push(`${status} ${method} ${path} ${body ?? ''}`.slice(0, 400));
      // a stream of events does not end
      if (/event-stream/.test(String(answer.headers['content-type']))) answer.destroy();
      else for await (const _ of answer);
    } catch (error) {
      failed.push(`${(error as Error).message} ${method} ${path} ${body ?? ''}`.slice(0, 400));
    }
  }
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (sent < REQUESTS) await one();
    }),
  );
  t.log(
    [...statuses]
      .sort(([first], [second]) => first - second)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  );
  t.deepEqual(failed, []);
});

/** The text of a JSON value with one part replaced. */
function mutated(example: string): string {
  const value = choose.of([
    'null',
    '[]',
    '{}',
    '""',
    '-1',
    '1e308',
    '"\\u0000"',
    `"${'a'.repeat(70_000)}"`,
    'true',
    '[[[]]]',
  ]);
  const parts = [...example.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|\b\d+\b|true|false/g)];
  if (parts.length === 0) return example;
  const part = choose.of(parts);
  return example.slice(0, part.index) + value + example.slice(part.index + part[0].length);
}
