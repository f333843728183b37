import test from 'ava';
import { world } from '../world.ts';

const w = world(test);
const json = { 'content-type': 'application/json' };

interface Described {
  path: string;
  method: string;
  limit: number;
  types: string[];
}

/** Operations with a body. */
async function bodies(): Promise<Described[]> {
  const { paths } = (await w.nobody.get('/openapi.json')).body;
  return Object.entries(paths as Record<string, Record<string, Record<string, never>>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method, operation]) => ({
        path: path.replace(/\{\w+\}/g, '018f3c1e-7a4b-7c2d-9e1f-001122334455'),
        method: method.toUpperCase(),
        limit: operation['x-max-body-bytes'],
        types: Object.keys((operation.requestBody as unknown as { content: object }).content),
      })),
  );
}

/** An object of `count` members. */
const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(',')}}`;
/** Answers of a route that says how long a body may be, where the body is one that it could not use in any case. */
const many = (count: number) => members(count).replace('}', ',"more":1}');
const MANY = many(20_000);
/** A start may name ten thousand files. */
const MORE = many(60_000);

test('Each JSON body has a limit in bytes, above which it is 413, and one of members, mostly 20,000, above which it is 400', async (t) => {
  const administrator = w.as(await w.administrator());
  const blanks = Buffer.alloc(30_000_001, ' ');
  const all = await bodies();
  t.true(all.length > 50);
  for (const { path, method, limit, types } of all) {
    t.true(limit > 0, `${method} ${path} has no x-max-body-bytes`);
    if (!types.includes('application/json')) continue;
    const headers = {
      ...json,
      ...(path.startsWith('/api/metadata/dataset') ? { 'api-version': '4' } : {}),
      ...(path === '/api/tokens/session' ? { 'svc-session': '1' } : {}),
    };
    const send = (payload: string | Buffer) =>
      administrator.send({ method: method as 'POST', url: path, headers, payload });
    const long = await send(blanks.subarray(0, limit + 1));
    t.is(long.status, 413, `${method} ${path}`);
    // that upload is parsed in pieces, after the series was found
    if (path.endsWith('/upload/json')) continue;
    const body = /\/(upload-convert|update|append)$/.test(path) ? MORE : MANY;
    const refused = await send(limit < body.length ? `[${'0,'.repeat(20_000)}0]` : body);
    t.deepEqual([refused.status, refused.body.code], [400, 'TooManyMembers'], `${method} ${path}`);
  }
});

test('A body has at most 256 KiB; of projects and datasets 4.5 MiB, of transfers and lists of files 4 MiB, of series 30 MB', async (t) => {
  const limits = new Map((await bodies()).map(({ path, method, limit }) => [`${method} ${path}`, limit]));
  const id = '018f3c1e-7a4b-7c2d-9e1f-001122334455';
  const expected = {
    'POST /api/tokens': 262_144,
    'POST /api/accounts': 262_144,
    'POST /api/eventing/webhook': 262_144,
    'POST /api/accounts/password': 16_384,
    'POST /api/metadata/project': 4_718_592,
    [`PUT /api/metadata/project/${id}/thumbnail`]: 4_718_592,
    [`PUT /api/metadata/project/${id}/dataset`]: 4_718_592,
    [`POST /api/hierarchy/project/${id}`]: 4_194_304,
    [`POST /api/conversion/project/${id}/file/import-staged`]: 4_194_304,
    'POST /api/conversion/upload-convert': 8_388_608,
    [`POST /api/ts/dataset/${id}/timeseries/${id}/upload/json`]: 30_000_000,
    [`POST /api/ts/dataset/${id}/timeseries/${id}/upload/csv`]: 2 ** 30,
    [`PUT /api/blob/${id}/${id}`]: 64 * 2 ** 30,
  };
  t.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, limits.get(name)])), expected);
});

test('Metadata of just under 1 MiB in few members are stored, and members and levels are counted before the parse', async (t) => {
  const administrator = w.as(await w.administrator());
  const create = (metadata: string) =>
    administrator.post('/api/metadata/project', `{"name":"P${metadata.length}","metadata":${metadata}}`, json);
  t.is((await create(`{"long":"${'\\n'.repeat(2 ** 19 - 100)}"}`)).status, 201);
  // with `name` and `metadata`
  t.is((await create(members(19_998))).status, 201);
  t.is((await create(members(19_999))).body.code, 'TooManyMembers');
  // neither of these is JSON: they are refused before the parse says so
  t.is((await create(`{"list":[${'0,'.repeat(20_000)}`)).body.code, 'TooManyMembers');
  t.regex((await create(`{"deep":${'['.repeat(4_000_000)}`)).body.detail, /more than 500 levels/);
  // commas and brackets in texts are no members
  t.is((await create(`{"text":"${'[{,\\",'.repeat(10_000)}"}`)).status, 201);
});

test('A body whose every member is wrong is 400 with the first mistakes', async (t) => {
  const administrator = w.as(await w.administrator());
  const wrong = { name: 'Wrong', members: Array.from({ length: 9000 }, () => ({ ROLE: 'King' })) };
  const { status, body } = await administrator.post('/api/metadata/project', wrong);
  t.is(status, 400);
  t.is(Object.keys(body.errors).length, 100);
  t.regex(body.errors['members[0].ROLE'][0], /must be one of/);
});
