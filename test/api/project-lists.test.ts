import test from 'ava';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test);

const NAMES = ['Beta', 'alpha', 'Zeta', 'Ångström', 'beta_1', 'beta%1', '🌊', 'Beta'];
/** By Unicode code point. */
const SORTED = ['Beta', 'Beta', 'Zeta', 'alpha', 'beta%1', 'beta_1', 'Ångström', '🌊'];

async function ownerOf(names: string[]): Promise<User> {
  const owner = await w.account();
  for (const name of names) await w.as(owner).post('/api/metadata/project', { name });
  return owner;
}
const names = (rows: { name: string }[]) => rows.map((row) => row.name);

test('names sort by Unicode code point, ties by id; Desc reverses both', async (t) => {
  const owner = await ownerOf(NAMES);
  const up = (await w.as(owner).get('/api/metadata/project/list')).body.data;
  t.deepEqual(names(up), SORTED);
  t.true(up[0].id < up[1].id);
  const down = (await w.as(owner).get('/api/metadata/project/list?SORTBY=name&sortOrder=DESC')).body.data;
  t.deepEqual(down, up.toReversed());
});

test('cursor pages return every project once, in order; the last page has no cursor', async (t) => {
  const owner = await ownerOf(NAMES);
  for (const sortBy of ['Name', 'CreatedAt', 'UpdatedAt']) {
    for (const sortOrder of ['Asc', 'Desc']) {
      const query = `sortBy=${sortBy}&sortOrder=${sortOrder}`;
      const all = (await w.as(owner).get(`/api/metadata/project/list?${query}`)).body;
      t.false('cursor' in all);
      const paged: unknown[] = [];
      let next = '';
      do {
        const { body } = await w.as(owner).get(`/api/metadata/project/list?${query}&limit=3${next}`);
        paged.push(...body.data);
        next = body.cursor === undefined ? '' : `&cursor=${encodeURIComponent(body.cursor)}`;
      } while (next !== '');
      t.deepEqual(paged, all.data);
    }
  }
});

test('a cursor is valid only for its list: another filter, order or caller is 400', async (t) => {
  const owner = await ownerOf(NAMES);
  const colleague = await ownerOf(NAMES);
  const { cursor } = (await w.as(owner).get('/api/metadata/project/list?limit=2')).body;
  const at = `limit=2&cursor=${encodeURIComponent(cursor)}`;
  t.is((await w.as(owner).get(`/api/metadata/project/list?${at}`)).status, 200);
  for (const more of ['&sortOrder=Desc', '&namePrefix=B', '&role=Owner', '&sortBy=CreatedAt']) {
    t.is((await w.as(owner).get(`/api/metadata/project/list?${at}${more}`)).status, 400, more);
  }
  t.is((await w.as(colleague).get(`/api/metadata/project/list?${at}`)).status, 400);
  t.is((await w.as(owner).get('/api/metadata/project/list?cursor=made-up')).status, 400);
});

test('offset pages have the total; an offset past the end is 200 without rows', async (t) => {
  const owner = await ownerOf(NAMES);
  const { body } = await w.as(owner).get('/api/metadata/project/offset-list?offset=2&limit=3');
  t.like(body, { totalCount: 8, offset: 2, limit: 3 });
  t.deepEqual(names(body.data), SORTED.slice(2, 5));
  const past = await w.as(owner).get('/api/metadata/project/offset-list?offset=100');
  t.is(past.status, 200);
  t.deepEqual(past.body, { totalCount: 8, offset: 100, limit: 50, data: [] });
});

test('a project in a list has the members that clients need, but no member list and no capabilities', async (t) => {
  const owner = await ownerOf(['One']);
  const [row] = (await w.as(owner).get('/api/metadata/project/list')).body.data;
  for (const member of [
    'id',
    'createdAt',
    'createdBy',
    'updatedAt',
    'updatedBy',
    'name',
    'accessLevel',
    'rowVersion',
  ]) {
    t.truthy(row[member], member);
  }
  t.false('members' in row);
  t.false('capabilities' in row);
});

test('namePrefix is literal and case-sensitive', async (t) => {
  const owner = await ownerOf(NAMES);
  const found = async (prefix: string) =>
    names((await w.as(owner).get(`/api/metadata/project/list?NamePrefix=${encodeURIComponent(prefix)}`)).body.data);
  t.deepEqual(await found('beta_'), ['beta_1']);
  t.deepEqual(await found('beta%'), ['beta%1']);
  t.deepEqual(await found('Be'), ['Beta', 'Beta']);
  t.deepEqual(await found(''), SORTED);
  t.deepEqual(await found('Gamma'), []);
});

test('role and capability keep the projects where the caller has one of them; an empty role does not filter', async (t) => {
  const [owner, me] = [await w.account(), await w.account()];
  for (const role of ['Owner', 'Contributor', 'Reader']) {
    await w.as(owner).post('/api/metadata/project', { name: role, members: [{ userId: me.userId, role }] });
  }
  await w.as(owner).post('/api/metadata/project', { name: 'None' });
  const found = async (query: string) =>
    names((await w.as(me).get(`/api/metadata/project/offset-list?${query}`)).body.data);
  t.deepEqual(await found(''), ['Contributor', 'Owner', 'Reader']);
  t.deepEqual(await found('role='), ['Contributor', 'Owner', 'Reader']);
  t.deepEqual(await found('role=Reader&role=ProjectMemberRole.OWNER'), ['Owner', 'Reader']);
  t.deepEqual(await found('capability=CanReadContent'), ['Contributor', 'Owner', 'Reader']);
  for (const capability of ['CanCreateContent', 'CanUpdateContent', 'CanDeleteContent']) {
    t.deepEqual(await found(`capability=${capability}`), ['Contributor', 'Owner']);
  }
  t.is((await w.as(me).get('/api/metadata/project/list?capability=canReadContent')).status, 400);
});

for (const query of [
  'role=Owner&capability=CanReadContent',
  'role=Boss',
  'sortBy=Size',
  'sortOrder=Up',
  'limit=0',
  'limit=1001',
  'sortBy=Name&sortBy=Name',
  'namePrefix=a&NamePrefix=b',
]) {
  test(`a list with ?${query} is 400`, async (t) => {
    for (const list of ['list', 'offset-list']) {
      t.is((await w.as(await w.account()).get(`/api/metadata/project/${list}?${query}`)).status, 400);
    }
  });
}

test('a negative offset is 400', async (t) => {
  t.is((await w.as(await w.account()).get('/api/metadata/project/offset-list?offset=-1')).status, 400);
});

test('lists show the tenant that the header names, by default the home tenant', async (t) => {
  const [home, second] = [await w.tenant(), await w.tenant()];
  const me = await w.account({ tenantId: home });
  await w.as(await w.administrator()).post(`/api/iam/tenant/${second}/member`, { userId: me.userId, role: 'Member' });
  await w.as(me).post('/api/metadata/project', { name: 'at home' });
  await w.as(me).post('/api/metadata/project', { name: 'elsewhere' }, { 'svc-tenant-id': second });
  const list = async (headers: Record<string, string>) => w.as(me).get('/api/metadata/project/list', headers);
  t.deepEqual(names((await list({})).body.data), ['at home']);
  t.deepEqual(names((await list({ 'dhi-customer-guid': second })).body.data), ['elsewhere']);
  t.is((await list({ 'svc-tenant-id': await w.tenant() })).status, 403);
});
