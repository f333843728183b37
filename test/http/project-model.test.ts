import test, { type ExecutionContext } from 'ava';
import type { Answer } from '../world/client.ts';
import { randomOf } from '../world/random.ts';
import { world } from '../world.ts';
import { CAPABILITIES, Model, type Node, type Permission, type Person, type Role } from './project-model.ts';

/**
 * Random operations by thirty people on one tree of projects, on the platform and on the model: same answers, same
 * sight, same rights.
 * `TREE_OPERATIONS=20000` for more of them, `TREE_SEED=n` for the choices of an earlier run.
 */
const OPERATIONS = Number(process.env.TREE_OPERATIONS ?? 2000);
const SEED = Number(process.env.TREE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Beyond this many projects, more are removed than made. */
const MANY = 150;
const ROLES: readonly Role[] = ['Owner', 'Contributor', 'Reader'];
const GROUPS = ['Modellers', 'Planners', 'Surveyors'];

const w = world(test);
const random = randomOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const chance = (share: number) => random() < share;

const model = new Model();
let people: Person[] = [];
const tokens = new Map<string, string>();

async function call(
  who: Person,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: unknown,
): Promise<Answer> {
  return w.nobody.send({
    method,
    url,
    headers: {
      authorization: `Bearer ${tokens.get(who.userId)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
}

async function populate() {
  const { tenantId } = await w.account();
  const elsewhere = await w.tenant();
  const administrator = w.as(await w.administrator());
  for (const name of GROUPS) {
    const { status, body } = await administrator.post('/api/usergroups', { id: `g-${name}`, name });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  const make = async (inTenant: Person['inTenant']) => {
    const groups = GROUPS.filter(() => chance(0.2));
    const home = inTenant === 'no' ? elsewhere : tenantId;
    const made = await w.account({ tenantId: home, role: inTenant === 'Owner' ? 'Owner' : 'Member' });
    for (const name of groups) await administrator.post(`/api/usergroups/user/${made.userId}`, [`g-${name}`]);
    return { userId: made.userId, id: made.id, groups, inTenant } satisfies Person;
  };
  people = [await make('Owner')];
  for (let n = 0; n < 26; n++) people.push(await make('Member'));
  for (let n = 0; n < 3; n++) people.push(await make('no'));
  for (const { userId, inTenant } of people) if (inTenant === 'no') model.guests.add(userId);
  for (const who of people) tokens.set(who.userId, await w.tokenOf(who));
}

const anyNode = (): Node | undefined => pick([...model.nodes.values()]);
/** Mostly somebody who can do something there, so that trees change and not only refuse. */
const somebodyOf = (node: Node): Person => {
  const insiders = people.filter((who) => model.role(who, node) !== undefined && who.inTenant !== 'Owner');
  return insiders.length > 0 && chance(0.75) ? pick(insiders) : pick(people);
};
const someMembers = () => new Map(people.filter(() => chance(0.1)).map(({ userId }) => [userId, pick(ROLES)] as const));
const listed = (members: Map<string, Role>) => [...members].map(([userId, role]) => ({ userId, role }));
const somePermissions = (): Permission[] =>
  Array.from({ length: Math.floor(random() * 3) }, () => {
    const { userId, id } = pick(people);
    return {
      principals: [pick([userId, id, pick(GROUPS), pick(GROUPS)])],
      operation: pick(['read', 'update', 'delete'] as const),
      type: pick(['Allowed', 'Denied'] as const),
    };
  });

interface Done {
  what: string;
  expected: number;
  answer: Answer;
}
type Operation = (node: Node, who: Person) => Promise<Done | undefined>;
const metadata = (node: Node, rest = '') => `/api/metadata/project/${node.id}${rest}`;
const bin = (node: Node, rest = '') => `/api/recycle-bin/project/${node.id}${rest}`;
const inBin = () => [...model.nodes.values()].filter((node) => node.deletedBy !== undefined);

const create = async (who: Person, parent: Node | undefined): Promise<Done> => {
  const inherits = parent !== undefined && chance(0.5);
  const members = inherits ? new Map<string, Role>() : someMembers();
  const url = parent === undefined ? '/api/metadata/project' : metadata(parent, '/subproject');
  const body = {
    name: `p${Math.floor(random() * 1e6)}`,
    ...(inherits ? { inheritsMembers: true } : { members: listed(members) }),
  };
  const expected = model.create(who, parent, members);
  const answer = await call(who, 'POST', url, body);
  if (answer.status === 201) {
    if (!inherits) members.set(who.userId, 'Owner');
    model.add({ id: answer.body.id, parent, inherits, members });
  }
  return { what: `${who.id} creates in ${parent?.id}`, expected, answer };
};

const operations: readonly [share: number, operation: Operation][] = [
  [30, (node, who) => create(who, node)],
  [
    8,
    async (node, who) => {
      const { userId } = pick(people);
      const role = pick(ROLES);
      const answer = await call(who, 'POST', metadata(node, '/member'), { userId, role });
      return {
        what: `${who.id} makes ${userId} ${role} of ${node.id}`,
        expected: model.setMember(who, node, userId, role),
        answer,
      };
    },
  ],
  [
    5,
    async (node, who) => {
      const own = [...model.source(node).members.keys()];
      const userId = own.length > 0 && chance(0.8) ? pick(own) : pick(people).userId;
      const answer = await call(who, 'DELETE', metadata(node, `/member/${userId}`));
      return {
        what: `${who.id} removes ${userId} from ${node.id}`,
        expected: model.removeMember(who, node, userId),
        answer,
      };
    },
  ],
  [
    6,
    async (node, who) => {
      const members = someMembers();
      const answer = await call(who, 'PUT', metadata(node, pick(['/member', '/members'])), {
        members: listed(members),
      });
      return {
        what: `${who.id} sets the members of ${node.id}`,
        expected: model.setMembers(who, node, members),
        answer,
      };
    },
  ],
  [
    8,
    async (node, who) => {
      const answer = await call(who, 'PUT', metadata(node, '/members/inherit'));
      return { what: `${who.id} lets ${node.id} inherit`, expected: model.inherit(who, node), answer };
    },
  ],
  [
    6,
    async (node, who) => {
      const permissions = somePermissions();
      const answer = await call(who, 'PUT', '/api/metadata/project', { id: node.id, name: 'renamed', permissions });
      return {
        what: `${who.id} sets permissions of ${node.id}`,
        expected: model.setPermissions(who, node, permissions),
        answer,
      };
    },
  ],
  [
    12,
    async (node, who) => {
      const relatives = [...model.nodes.values()].filter((each) => model.root(each) === model.root(node));
      const target = chance(0.9) ? pick(relatives) : pick([...model.nodes.values()]);
      // what a caller without rights hears of a move that moves nothing is nowhere said
      if (target === node.parent) return undefined;
      const answer = await call(who, 'POST', metadata(node, '/move'), { targetProjectId: target.id });
      return { what: `${who.id} moves ${node.id} under ${target.id}`, expected: model.move(who, node, target), answer };
    },
  ],
  [
    8,
    async (node, who) => {
      const url = pick([metadata(node), `/api/project/${node.id}`]);
      const answer = await call(who, 'DELETE', url);
      return { what: `${who.id} deletes ${node.id}`, expected: model.delete(who, node), answer };
    },
  ],
  [
    10,
    async (node, who) => {
      const there = chance(0.9) ? (pick(inBin()) ?? node) : node;
      const by = chance(0.5) ? who : somebodyOf(there);
      const answer = await call(by, 'PUT', bin(there, '/restore'));
      return { what: `${by.id} restores ${there.id}`, expected: model.restore(by, there), answer };
    },
  ],
  [
    4,
    async (node, who) => {
      const there = pick(inBin());
      const target = chance(0.7) ? node : undefined;
      if (!there || who.inTenant === 'no') return undefined;
      const answer = await call(who, 'POST', bin(there, '/restore'), { targetProjectId: target?.id });
      return {
        what: `${who.id} restores ${there.id} to ${target?.id}`,
        expected: model.restoreTo(who, there, target),
        answer,
      };
    },
  ],
  [
    3,
    async (node, who) => {
      const there = chance(0.8) ? (pick(inBin()) ?? node) : node;
      const answer = await call(who, 'DELETE', bin(there));
      return { what: `${who.id} purges ${there.id}`, expected: model.purge(who, there), answer };
    },
  ],
];
const TOTAL = operations.reduce((sum, [share]) => sum + share, 0);
function anyOperation(): Operation {
  let at = random() * TOTAL;
  for (const [share, operation] of operations) {
    at -= share;
    if (at < 0) return operation;
  }
  throw new Error('unreachable');
}

const idsOf = (answer: Answer): string[] => answer.body.data.map((each: { id: string }) => each.id).sort();
const sorted = (nodes: Node[]) => nodes.map((node) => node.id).sort();

const described = (node: Node): string =>
  JSON.stringify(
    model.up(node).map(({ id, inherits, members, permissions, deletedBy }) => ({
      id,
      inherits,
      members: [...members],
      permissions,
      deletedBy,
    })),
  );

/** Answers that one user gets for one project. */
async function compareSight(t: ExecutionContext, who: Person, node: Node) {
  const rights = await call(who, 'GET', metadata(node, '/capabilities'));
  if (!model.sees(who, node)) t.is(rights.status, 404, `${JSON.stringify(who)} must not see ${described(node)}`);
  else {
    const expected = Object.fromEntries(CAPABILITIES.map((each) => [each, model.can(who, node, each)]));
    t.deepEqual(rights.body, expected, `rights of ${who.id} on ${node.id}`);
    const children = await call(who, 'GET', metadata(node, '/subproject/list?limit=1000'));
    const seen = model.children(node).filter((child) => model.sees(who, child));
    t.deepEqual(idsOf(children), sorted(seen), `children of ${node.id} for ${who.id}`);
    const capability = pick(['CanReadContent', 'CanCreateContent', 'CanDeleteContent'] as const);
    const able = await call(who, 'GET', metadata(node, `/subproject/list?limit=1000&capability=${capability}`));
    const wanted = `c${capability.slice(1)}` as (typeof CAPABILITIES)[number];
    t.deepEqual(idsOf(able), sorted(seen.filter((child) => model.can(who, child, wanted))), capability);
    const owned = await call(who, 'GET', metadata(node, '/subproject/list?limit=1000&role=Owner'));
    t.deepEqual(idsOf(owned), sorted(seen.filter((child) => model.role(who, child) === 'Owner')), 'role=Owner');
  }
  if (who.inTenant !== 'no') {
    const roots = await call(who, 'GET', '/api/metadata/project/list?limit=1000');
    t.deepEqual(
      idsOf(roots),
      sorted(model.children(undefined).filter((root) => model.sees(who, root))),
      `roots of ${who.id}`,
    );
  }
  const deleted = await call(who, 'GET', '/api/recycle-bin/project/list');
  // lists are of the tenant that one acts in; who comes from elsewhere acts at home
  const known = inBin().filter((each) => who.inTenant !== 'no' && model.mayDelete(who, each));
  t.deepEqual(idsOf(deleted), sorted(known), `bin of ${JSON.stringify(who)}: ${known.map(described).join('\n')}`);
  const mine = await call(who, 'GET', '/api/recycle-bin/my-deleted-items?limit=1000');
  t.deepEqual(idsOf(mine), sorted(inBin().filter((each) => each.deletedBy === who.userId)), `deleted by ${who.id}`);
}

/** Denormalized columns equal the result of walking the tree. */
async function compareStored(t: ExecutionContext) {
  const rows = await w.sql<{
    id: string;
    parent_id: string | null;
    root_id: string;
    path: string[];
    member_source_id: string;
  }>('select id, parent_id, root_id, path, member_source_id from projects');
  t.deepEqual(rows.map(({ id }) => id).sort(), [...model.nodes.keys()].sort());
  for (const row of rows) {
    const node = model.nodes.get(row.id) as Node;
    const path = model.up(node).reverse();
    t.is(row.parent_id ?? undefined, node.parent?.id);
    t.deepEqual(
      row.path,
      path.map((each) => each.id),
      'path',
    );
    t.is(row.root_id, path[0]?.id, 'root');
    t.is(row.member_source_id, model.source(node).id, 'member source');
  }
}

test.serial(
  `${OPERATIONS} random operations: the same answers, sight and rights as the model (TREE_SEED=${SEED})`,
  async (t) => {
    await populate();
    for (let n = 0; n < 8; n++) {
      const { answer, expected } = await create(pick(people.filter((who) => who.inTenant === 'Member')), undefined);
      t.is(answer.status, expected);
    }
    const statuses = new Map<number, number>();
    for (let n = 0; n < OPERATIONS; n++) {
      const node = anyNode();
      if (node === undefined || chance(0.02)) {
        await create(pick(people.filter((who) => who.inTenant === 'Member')), undefined);
        continue;
      }
      const operation = model.nodes.size > MANY && chance(0.3) ? (operations[10]?.[1] as Operation) : anyOperation();
      const done = await operation(node, somebodyOf(node));
      if (!done) continue;
      if (done.answer.status !== done.expected) {
        t.fail(
          `TREE_SEED=${SEED}, step ${n}: ${done.what}: ${done.answer.status}, not ${done.expected}: ${JSON.stringify(done.answer.body)}`,
        );
        return;
      }
      statuses.set(done.expected, (statuses.get(done.expected) ?? 0) + 1);
      const there = anyNode();
      if (there && n % 20 === 0) await compareSight(t, chance(0.5) ? somebodyOf(there) : pick(people), there);
      if (n % 200 === 199) await compareStored(t);
    }
    await compareStored(t);
    t.log(Object.fromEntries([...statuses].sort()));
    for (const status of [200, 201, 204, 400, 403, 404])
      t.true((statuses.get(status) ?? 0) > 0, `${status} never came up`);
  },
);
