/**
 * Every route × {no token, broken token, another tenant, a lower role}. The list comes from the server itself: a route without a row fails.
 *
 * A room adds its rows in `isolation/<room>.ts`, whose default export is `Rows`; nothing else is needed. A row makes a valid request on
 * things of the scene's tenant and says what comes back to whom. Put `scene.mark` into the names of what you make: no answer to another
 * tenant may hold it.
 */
import { readdir } from 'node:fs/promises';
import test from 'ava';
import type { InjectOptions } from 'fastify';
import { world } from '../world.ts';
import type { Actor, PublicRow, Row, Rows, Scene } from './isolation/row.ts';

const folder = new URL('isolation/', import.meta.url);
const rows: Rows = {};
for (const file of (await readdir(folder)).sort()) {
  if (file === 'row.ts') continue;
  const { default: more } = (await import(new URL(file, folder).href)) as { default: Rows };
  Object.assign(rows, more);
}

const w = world(test);
let made: Promise<Scene> | undefined;

/** Made once, by the first test that needs it. */
function theScene(): Promise<Scene> {
  made ??= makeScene();
  return made;
}

async function makeScene(): Promise<Scene> {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const member = await w.account({ tenantId });
  const reader = await w.account({ tenantId });
  const stranger = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const administrator = await w.administrator();
  return { w, tenantId, owner, reader, member, stranger, administrator, mark: 'Marked' };
}

/** What the server has; not the closed methods, nor HEAD (a GET without its body), nor pages of files. */
const routes = () =>
  [...w.app.paths.values()].flatMap((path) =>
    [...path.methods.values()].flatMap((route) => {
      const { access, closed } = route.config ?? {};
      if (access === undefined || closed || route.method === 'HEAD') return [];
      return [{ name: `${route.method} ${route.url}`, access }];
    }),
  );

test('every route has a row, every row a route', (t) => {
  const known = routes().map(({ name }) => name);
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
  for (const { name, access } of routes()) {
    const row = rows[name];
    if (row) t.is('anybody' in row, access === 'public', name);
  }
});

const send = (options: InjectOptions, authorization?: string) =>
  w.app.inject({ ...options, headers: { ...options.headers, ...(authorization ? { authorization } : {}) } });
const brokenTokens = async ({ owner }: Scene) => {
  const [head, payload, signature] = (await w.tokenOf(owner)).split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  return [
    'Bearer',
    'Bearer x',
    `Bearer ${head}.${payload}.${signature?.slice(0, -8)}AAAAAAAA`,
    `Bearer ${unsigned}.${payload}.`,
  ];
};

for (const [name, row] of Object.entries(rows)) {
  if ('anybody' in row) open(name, row);
  else closed(name, row);
}

function open(name: string, row: PublicRow) {
  test(`${name}: anybody`, async (t) => {
    const scene = await theScene();
    t.is((await send(await row.request(scene))).statusCode, row.anybody);
    t.is((await send(await row.request(scene), 'Bearer x')).statusCode, row.anybody);
  });
}

function closed(name: string, row: Row) {
  test(`${name}: no token, broken tokens`, async (t) => {
    const scene = await theScene();
    const request = await row.request(scene);
    for (const authorization of [undefined, ...(await brokenTokens(scene))]) {
      const answer = await send(request, authorization);
      t.is(answer.statusCode, 401, authorization);
      t.is(answer.headers['www-authenticate'], 'Bearer');
      t.false(answer.body.includes(scene.mark));
    }
  });
  const actors = Object.entries({ ...row.refused, ...row.allowed }) as [Actor, number][];
  test(`${name}: ${actors.map(([actor]) => actor).join(', ')}`, async (t) => {
    const scene = await theScene();
    t.true('stranger' in { ...row.refused, ...row.allowed }, 'a row says what another tenant gets');
    t.not(Object.keys(row.allowed).length, 0, 'a row says who may');
    for (const [actor, status] of actors) {
      const answer = await send(await row.request(scene), `Bearer ${await w.tokenOf(scene[actor])}`);
      t.is(answer.statusCode, status, `${actor}: ${answer.body}`);
      if (actor === 'stranger') t.false(answer.body.includes(scene.mark), answer.body);
    }
  });
}
