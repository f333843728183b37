import test, { type ExecutionContext } from 'ava';
import type { Caller } from '../../src/http/caller.ts';
import type { Position } from '../../src/http/rules/paging.ts';
import { EFFORT, findEntries, readWords } from '../../src/search/search.queries.ts';
import { newDataset } from '../world/content.ts';
import { randomOf } from '../world/random.ts';
import { ownWorld } from '../world.ts';
import { Model, type Node, type Permission, type Person, type Role } from './project-model.ts';

/**
 * Searches among random trees of projects and datasets, by all sorts of people, while the trees change: the platform
 * finds what the model finds, in the same order, whichever way it searches. A dataset is a node of the model that
 * inherits. `SEARCH_ROUNDS=500` for more rounds, `SEARCH_SEED=n` for the choices of an earlier run.
 */
const ROUNDS = Number(process.env.SEARCH_ROUNDS ?? 25);
const SEED = Number(process.env.SEARCH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PROJECTS = 60;
const DATASETS = 40;
const ROLES: readonly Role[] = ['Owner', 'Contributor', 'Reader'];
const GROUPS = ['Modellers', 'Planners'];
const WORDS = ['alpha', 'alpine', 'Al', 'beta', 'Bergen', 'Århus', 'aa', 'delta', 'x1', 'x12', 'été', 'ΝΙΚΟΣ'];
const QUERIES = [
  'a',
  'al',
  'alp',
  'ALPHA',
  'b',
  'be alp',
  'arhus',
  'aa',
  'x1',
  'd',
  'ete',
  'νικος',
  'al beta',
  'nothing',
];

/** Ways to search: the platform's own, always by names, always by words, and always through the caller's projects. */
const EFFORTS = [
  EFFORT,
  { projects: 0, matches: 0, names: 5, candidates: 8 },
  { projects: 0, matches: 0, names: 1000, candidates: 8 },
  { projects: 0, matches: 0, names: 0, candidates: 1 },
  { projects: 1000, matches: 0, names: 0, candidates: 1 },
  { projects: 1000, matches: 0, names: 0, candidates: 2 },
  { projects: 0, matches: 3, names: 5, candidates: 2 },
  { projects: 0, matches: 10_000, names: 0, candidates: 1 },
];

const w = ownWorld(test);
const random = randomOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const chance = (share: number) => random() < share;
const some = (count: number) => Array.from({ length: Math.floor(random() * (count + 1)) }, () => pick(WORDS)).join(' ');

interface Item {
  node: Node;
  kind: 'Project' | 'Dataset';
  name: string;
  description: string;
}
const model = new Model();
const items = new Map<string, Item>();
const callers = new Map<string, Caller>();
let people: Person[] = [];

const fold = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
const wordsOf = (text: string) =>
  fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
const keyOf = (text: string) => wordsOf(text).join(' ');

/** Ids of what a person finds, in order. */
function expected(who: Person, q: string, kind?: Item['kind'], below?: Node): string[] {
  const rank = ({ name }: Item) => (keyOf(name).startsWith(keyOf(q)) ? 0 : 1);
  return [...items.values()]
    .filter((item) => {
      const words = wordsOf(`${item.name} ${item.description}`);
      const matches = wordsOf(q).every((word) => words.some((one) => one.startsWith(word)));
      const lies = below === undefined || (item.node !== below && model.up(item.node).includes(below));
      return matches && lies && (kind === undefined || item.kind === kind) && model.sees(who, item.node);
    })
    .sort(
      (a, b) =>
        rank(a) - rank(b) ||
        Buffer.compare(Buffer.from(keyOf(a.name)), Buffer.from(keyOf(b.name))) ||
        (a.node.id < b.node.id ? -1 : 1),
    )
    .map(({ node }) => node.id);
}

const somePermissions = (): Permission[] =>
  Array.from({ length: Math.floor(random() * 3) }, () => {
    const { userId, id } = pick(people);
    return {
      principals: [pick([userId, id.toUpperCase(), pick(GROUPS)])],
      operation: pick(['read', 'update'] as const),
      type: pick(['Allowed', 'Allowed', 'Denied'] as const),
    };
  });
const modelled = (permissions: Permission[]): Permission[] =>
  permissions.map((each) => ({
    ...each,
    principals: each.principals.map((name) => people.find(({ id }) => id.toUpperCase() === name)?.id ?? name),
  }));
const someMembers = () =>
  new Map(people.filter(() => chance(0.15)).map(({ userId }) => [userId, pick(ROLES)] as const));
const listed = (members: Map<string, Role>) => [...members].map(([userId, role]) => ({ userId, role }));

async function populate() {
  const owner = await w.administrator();
  const elsewhere = await w.tenant();
  for (const name of GROUPS) await w.as(owner).post('/api/usergroups', { id: `g-${name}`, name });
  const make = async (inTenant: Person['inTenant']): Promise<Person> => {
    const groups = GROUPS.filter(() => chance(0.3));
    const tenantId = inTenant === 'no' ? elsewhere : owner.tenantId;
    const user = inTenant === 'Owner' ? owner : await w.account({ tenantId, role: 'Member' });
    if (inTenant !== 'Owner')
      for (const name of groups) await w.as(owner).post(`/api/usergroups/user/${user.userId}`, [`g-${name}`]);
    return { userId: user.userId, id: user.id, groups, inTenant };
  };
  people = [await make('Owner')];
  for (let n = 0; n < 9; n++) people.push(await make('Member'));
  for (let n = 0; n < 3; n++) people.push(await make('no'));
  for (const { userId, id, groups, inTenant } of people) {
    const tenantId = inTenant === 'no' ? elsewhere : owner.tenantId;
    const role = inTenant === 'Owner' ? 'Owner' : 'Member';
    const tenants = [{ id: tenantId, role } as const];
    const about = { accountId: id, foldedId: id.toLowerCase(), via: 'token', address: '', requestId: '' } as const;
    callers.set(userId, { ...about, userId, tenantId, tenants, groups, roles: [], scopes: [] });
  }
  return w.as(owner);
}
type Client = Awaited<ReturnType<typeof populate>>;

async function addProject(owner: Client) {
  const projects = [...items.values()].filter(({ kind, node }) => kind === 'Project' && model.alive(node));
  const parent = chance(0.85) ? pick(projects)?.node : undefined;
  const inherits = parent !== undefined && chance(0.6);
  const members = inherits ? new Map<string, Role>() : someMembers();
  const [name, description] = [some(2) || 'alone', some(3)];
  const { status, body } = await owner.post(
    parent ? `/api/metadata/project/${parent.id}/subproject` : '/api/metadata/project',
    { name, description, ...(inherits ? { inheritsMembers: true } : { members: listed(members) }) },
  );
  if (status !== 201) throw new Error(JSON.stringify(body));
  if (!inherits) members.set(people[0]?.userId ?? '', 'Owner');
  model.add({ id: body.id, parent, inherits, members });
  items.set(body.id, { node: model.nodes.get(body.id) as Node, kind: 'Project', name, description });
}

async function addDataset() {
  const project = pick([...items.values()].filter(({ kind, node }) => kind === 'Project' && model.alive(node)));
  const [name, description] = [some(2) || 'alone', some(3)];
  const { userId, id: login } = people[0] as Person;
  const id = await newDataset(w, project.node.id, { userId, id: login, tenantId: '' }, { name, description });
  model.add({ id, parent: project.node, inherits: true, members: new Map() });
  items.set(id, { node: model.nodes.get(id) as Node, kind: 'Dataset', name, description });
}

/** A change that the Owner of the tenant makes. */
async function change(owner: Client) {
  const item = pick([...items.values()].filter(({ node }) => model.alive(node)));
  const { node, kind } = item;
  const isProject = kind === 'Project';
  const ok = ({ status, body }: { status: number; body: unknown }) => {
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const update = (members: object) =>
    isProject
      ? owner.put('/api/metadata/project', { id: node.id, name: item.name, description: item.description, ...members })
      : owner.put(`/api/metadata/project/${node.parent?.id}/dataset`, {
          id: node.id,
          name: item.name,
          description: item.description,
          ...members,
        });
  const what = random();
  if (what < 0.25) {
    item.name = some(2) || 'alone';
    item.description = some(3);
    ok(await update({}));
  } else if (what < 0.5) {
    const permissions = somePermissions();
    ok(await update({ permissions }));
    node.permissions = modelled(permissions);
  } else if (what < 0.65 && isProject) {
    const members = someMembers().set(people[0]?.userId ?? '', 'Owner');
    ok(await owner.put(`/api/metadata/project/${node.id}/members`, { members: listed(members) }));
    Object.assign(node, { inherits: false, members });
  } else if (what < 0.75 && isProject && node.parent) {
    ok(await owner.put(`/api/metadata/project/${node.id}/members/inherit`));
    Object.assign(node, { inherits: true, members: new Map() });
  } else if (what < 0.9 && isProject && node.parent) {
    const target = pick(
      [...items.values()].filter(
        (each) =>
          each.kind === 'Project' &&
          model.alive(each.node) &&
          model.root(each.node) === model.root(node) &&
          !model.up(each.node).includes(node),
      ),
    ).node;
    ok(await owner.post(`/api/metadata/project/${node.id}/move`, { targetProjectId: target.id }));
    node.parent = target;
  } else if (items.size > PROJECTS) {
    const deleted = [...items.values()].find((each) => each.node.deletedBy !== undefined);
    const path = (one: Item) => `${one.kind === 'Project' ? 'project' : 'dataset'}/${one.node.id}`;
    if (deleted && chance(0.6)) {
      ok(await owner.put(`/api/recycle-bin/${path(deleted)}/restore`));
      for (const each of model.up(deleted.node)) each.deletedBy = undefined;
    } else {
      ok(await owner.delete(`/api/metadata/${path(item)}`));
      node.deletedBy = people[0]?.userId;
    }
  }
}

/** All pages of a search by the route. */
async function asked(who: Person, parameters: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({ ...parameters, ...(cursor === undefined ? {} : { cursor }) });
    const { status, body } = await w.as(who).get(`/api/metadata/search?${query}`);
    if (status === 404) return ['404'];
    if (status !== 200) throw new Error(JSON.stringify(body));
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.cursor;
    if (cursor === undefined) return ids;
  }
}

/** All pages of a search with this effort. */
async function found(who: Person, q: string, effort: typeof EFFORT, limit: number): Promise<string[]> {
  const { name } = await readWords(w.db, q);
  const caller = callers.get(who.userId) as Caller;
  const ids: string[] = [];
  for (let position: Position | undefined; ; ) {
    const rows = await findEntries(w.db, caller, { words: q, name }, {}, position, limit, effort);
    ids.push(...rows.map(({ id }) => id));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return ids;
    position = { value: last.rank + last.nameKey, id: last.id };
  }
}

async function compare(t: ExecutionContext, who: Person, counts: Map<string, number>) {
  const q = pick(QUERIES);
  const hits = expected(who, q);
  const message = `SEARCH_SEED=${SEED}: '${q}' by ${JSON.stringify(who)}`;
  t.deepEqual(await asked(who, { q, limit: pick(['3', '50']) }), hits, message);
  for (const effort of EFFORTS)
    t.deepEqual(await found(who, q, effort, pick([2, 7, 60])), hits, `${message}, ${JSON.stringify(effort)}`);
  const kind = pick(['Project', 'Dataset'] as const);
  t.deepEqual(await asked(who, { q, kind }), expected(who, q, kind), `${message}, ${kind}`);
  const below = pick([...items.values()].filter((each) => each.kind === 'Project')).node;
  const inside = model.sees(who, below) ? expected(who, q, undefined, below) : ['404'];
  t.deepEqual(await asked(who, { q, project: below.id }), inside, `${message}, below ${below.id}`);
  const seen = [...items.values()].filter(({ node }) => model.sees(who, node)).length;
  const sort = hits.length === 0 ? 'nothing' : seen === items.size ? 'all' : 'some';
  counts.set(sort, (counts.get(sort) ?? 0) + 1);
}

test.serial(`${ROUNDS} rounds of changes and searches: the same hits as the model (SEARCH_SEED=${SEED})`, async (t) => {
  const owner = await populate();
  for (let n = 0; n < PROJECTS; n++) await addProject(owner);
  for (let n = 0; n < DATASETS; n++) await addDataset();
  const counts = new Map<string, number>();
  for (let n = 0; n < ROUNDS && t.passed; n++) {
    for (let m = 0; m < 4; m++) await change(owner);
    for (let m = 0; m < 4; m++) await compare(t, pick(people), counts);
  }
  t.log(Object.fromEntries(counts));
  t.true((counts.get('some') ?? 0) > 0 && (counts.get('nothing') ?? 0) > 0);
});
