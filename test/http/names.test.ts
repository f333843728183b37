import test from 'ava';
import { z } from 'zod';
import { invalidMember } from '../../src/errors.ts';
import { freeForm } from '../../src/http/names.ts';
import { queryBoolean, queryEnum, queryInteger, queryList, queryTime } from '../../src/http/query.ts';
import type { App } from '../../src/http/route.ts';
import { bearer, wireApp } from './wire-app.ts';

const config = { access: 'signedIn', service: 'metadata' } as const;
const headers = bearer('anna');

const Member = z.object({ userId: z.string(), role: z.string().optional() });
const Body = z.object({
  name: z.string().optional(),
  rowVersion: z.int().optional(),
  metadata: freeForm().optional(),
  members: z.array(Member).optional(),
  nested: z.union([z.object({ outputSrid: z.int() }), z.object({ itemNames: z.array(z.string()) })]).optional(),
});

const echo = (app: App) => {
  app.post('/api/echo', { config, schema: { body: Body } }, async (request) => request.body);
  const querystring = z.object({
    namePrefix: z.string().optional(),
    role: queryList(z.string()).optional(),
    sortOrder: queryEnum(['Asc', 'Desc']).optional(),
    limit: queryInteger(1, 1000).optional(),
    recursive: queryBoolean().optional(),
    from: queryTime().optional(),
  });
  app.get('/api/echo', { config, schema: { querystring } }, async (request) => request.query);
};

test('Member names of request bodies are matched without regard to case, and unknown members are ignored', async (t) => {
  const app = await wireApp(t, echo);
  const payload = { NAME: 'a', rowversion: 3, Members: [{ userid: 'u', ROLE: 'Owner', more: 1 }], stranger: true };
  const answer = await app.inject({ method: 'POST', url: '/api/echo', headers, payload });
  t.deepEqual(answer.json(), { name: 'a', rowVersion: 3, members: [{ userId: 'u', role: 'Owner' }] });
});

test('Members of either alternative are found in any case', async (t) => {
  const app = await wireApp(t, echo);
  const nested = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/api/echo', headers, payload: { nested: payload } })).json();
  t.deepEqual(await nested({ OUTPUTSRID: 4326 }), { nested: { outputSrid: 4326 } });
  t.deepEqual(await nested({ itemnames: ['a'] }), { nested: { itemNames: ['a'] } });
});

test('Null in a request member means that the member is absent', async (t) => {
  const app = await wireApp(t, echo);
  const payload = { name: null, members: [{ userId: 'u', role: null }], metadata: null };
  const answer = await app.inject({ method: 'POST', url: '/api/echo', headers, payload });
  t.deepEqual(answer.json(), { members: [{ userId: 'u' }] });
});

test('Free-form objects are left as they are: names, case and nulls', async (t) => {
  const app = await wireApp(t, echo);
  const metadata = { Name: null, name: 1, deep: { ROLE: null, list: [null, { A: null }] } };
  const answer = await app.inject({ method: 'POST', url: '/api/echo', headers, payload: { Metadata: metadata } });
  t.deepEqual(answer.json(), { metadata });
});

test('Of a name that is sent in two spellings the exact one wins', async (t) => {
  const app = await wireApp(t, echo);
  const post = (payload: object) => app.inject({ method: 'POST', url: '/api/echo', headers, payload });
  t.deepEqual((await post({ name: 'exact', Name: 'other' })).json(), { name: 'exact' });
  t.deepEqual((await post({ Name: 'other', name: 'exact' })).json(), { name: 'exact' });
});

test('An empty body is an empty object where an object is expected', async (t) => {
  const app = await wireApp(t, echo);
  const plain = await app.inject({ method: 'POST', url: '/api/echo', headers });
  t.deepEqual([plain.statusCode, plain.json()], [200, {}]);
  const typed = await app.inject({
    method: 'POST',
    url: '/api/echo',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': '0' },
  });
  t.deepEqual([typed.statusCode, typed.json()], [200, {}]);
});

test('Errors name members as they were sent', async (t) => {
  const app = await wireApp(t, echo);
  const payload = { NAME: 5, Members: [{ userId: 'u' }, { USERID: 7 }] };
  const answer = await app.inject({ method: 'POST', url: '/api/echo', headers, payload });
  t.is(answer.statusCode, 400);
  t.deepEqual(answer.json().errors, {
    NAME: ['NAME must be a text.'],
    'Members[1].USERID': ['Members[1].USERID must be a text.'],
  });
  t.is(answer.json().detail, 'NAME must be a text.');
});

test('Errors of a rule and of a query name members as they were sent, too', async (t) => {
  const app = await wireApp(t, (routes) => {
    echo(routes);
    routes.post('/api/rule', { config, schema: { body: Body } }, async () => {
      throw invalidMember('members[0].userId', 'There is no such user.');
    });
  });
  const payload = { Members: [{ USERID: 'u' }] };
  const rule = await app.inject({ method: 'POST', url: '/api/rule', headers, payload });
  t.deepEqual(rule.json().errors, { 'Members[0].USERID': ['There is no such user.'] });
  const query = await app.inject({ url: '/api/echo?LIMIT=0', headers });
  t.deepEqual(Object.keys(query.json().errors), ['LIMIT']);
});

test('What no database can store is refused with the place where it stands', async (t) => {
  const app = await wireApp(t, echo);
  for (const bad of ['\0', '\ud800']) {
    const payload = { metadata: { deep: [`a${bad}`] } };
    const answer = await app.inject({ method: 'POST', url: '/api/echo', headers, payload });
    t.is(answer.statusCode, 400);
    t.deepEqual(Object.keys(answer.json().errors), ['metadata.deep[0]']);
  }
  const emoji = await app.inject({
    method: 'POST',
    url: '/api/echo',
    headers: { ...headers, 'content-type': 'application/json' },
    payload: '{"name":"\\ud83d\\ude00"}',
  });
  t.is(emoji.json().name, '😀');
});

test('A body of too many levels is refused, and told from one that is only deep', async (t) => {
  const app = await wireApp(t, echo);
  const post = (levels: number) => {
    const payload = `{"metadata":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    return app.inject({
      method: 'POST',
      url: '/api/echo',
      headers: { ...headers, 'content-type': 'application/json' },
      payload,
    });
  };
  t.is((await post(400)).statusCode, 200);
  for (const levels of [600, 100_000]) {
    const answer = await post(levels);
    t.is(answer.statusCode, 400);
    t.is(answer.json().detail, 'The body has more than 500 lists and objects within each other.');
  }
});

test('What is too much or too little is told in a sentence', async (t) => {
  const body = z.object({
    text: z.string().max(3).optional(),
    one: z.string().min(1).optional(),
    list: z.array(z.int()).max(2).optional(),
    weight: z.number().positive().max(10).optional(),
  });
  const app = await wireApp(t, (routes) => {
    routes.post('/api/bounds', { config, schema: { body } }, async (request) => request.body);
  });
  const payload = { text: 'four', one: '', list: [1, 2, 3], weight: 0 };
  const answer = await app.inject({ method: 'POST', url: '/api/bounds', headers, payload });
  t.deepEqual(answer.json().errors, {
    text: ['text must have at most 3 characters.'],
    one: ['one must have at least 1 character.'],
    list: ['list must have at most 2 entries.'],
    weight: ['weight must be more than 0, not 0.'],
  });
});

test('A name in the query is matched without regard to case, a repeated one is a list, a plus is a space', async (t) => {
  const app = await wireApp(t, echo);
  const get = (query: string) => app.inject({ url: `/api/echo?${query}`, headers });
  t.deepEqual((await get('NamePrefix=a+b%2Bc')).json(), { namePrefix: 'a b+c' });
  t.deepEqual((await get('role=Owner&ROLE=Reader&role=Contributor')).json().role.toSorted(), [
    'Contributor',
    'Owner',
    'Reader',
  ]);
  t.deepEqual((await get('role=Owner')).json(), { role: ['Owner'] });
  t.deepEqual((await get('sortorder=DESC&recursive=True&stranger=1')).json(), { sortOrder: 'Desc', recursive: true });
  t.deepEqual((await get('recursive=False')).json(), { recursive: false });
});

test('A name that has one value is refused when it is repeated, in whatever case', async (t) => {
  const app = await wireApp(t, echo);
  for (const query of ['limit=1&limit=2', 'limit=1&Limit=1', 'namePrefix=a&namePrefix=a']) {
    const answer = await app.inject({ url: `/api/echo?${query}`, headers });
    t.is(answer.statusCode, 400, query);
    t.regex(answer.json().detail, /may be given only once/);
  }
});

test('Numbers, times and booleans of a query are read strictly', async (t) => {
  const app = await wireApp(t, echo);
  const get = (query: string) => app.inject({ url: `/api/echo?${query}`, headers });
  for (const query of ['limit=', 'limit=0', 'limit=1001', 'limit=1e2', 'limit=x', 'recursive=1', 'from=2026-02-30']) {
    t.is((await get(query)).statusCode, 400, query);
  }
  t.deepEqual((await get('from=2026-01-24')).json(), { from: '2026-01-24T00:00:00.0000000' });
  t.deepEqual((await get('from=2026-01-24T081702')).json(), { from: '2026-01-24T08:17:02.0000000' });
  t.deepEqual((await get('from=2026-01-24T08:17:02.435Z')).json(), { from: '2026-01-24T08:17:02.4350000' });
});

test('A route whose answer may hold a null member cannot be added', async (t) => {
  const adding = (answer: z.ZodType) =>
    wireApp(t, (app) => {
      app.get('/api/x', { config, schema: { response: { 200: answer } } }, async () => ({}) as never);
    });
  const message = /member 'data\[\]\.at' of answer 200 may be null/;
  await t.throwsAsync(adding(z.object({ data: z.array(z.object({ at: z.string().nullable() })) })), { message });
  await t.throwsAsync(adding(z.object({ data: z.array(z.object({ at: z.string().nullish() })) })), { message });
  await t.notThrowsAsync(adding(z.object({ rows: z.array(z.array(z.number().nullable())) })));
});
