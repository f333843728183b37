import test, { type ExecutionContext } from 'ava';
import { newDataset } from '../world/content.ts';
import { randomOf } from '../world/random.ts';
import { type User, world } from '../world.ts';
import { Model, type Node, type Permission, type Person, type Role } from './project-model.ts';

/** `ACTIVITY_SEED=n` for the choices of an earlier run. */
const SEED = Number(process.env.ACTIVITY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const OPERATIONS = Number(process.env.ACTIVITY_OPERATIONS ?? 250);

const w = world(test);
const random = randomOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

interface Content {
  id: string;
  node: Node;
  permissions: Permission[];
  deleted: boolean;
}
/** An entry that must be there: what was done to what, and in which projects that was. */
interface Entry {
  action: string;
  subject: string;
  about: Node | Content;
  places: readonly string[];
  onlyTenantOwners?: boolean;
}

class Log {
  readonly model = new Model();
  readonly contents = new Map<string, Content>();
  entries: Entry[] = [];

  add(action: string, about: Node | Content, more: Partial<Entry> = {}) {
    const node = 'node' in about ? about.node : about;
    const places = this.model.up(node).map(({ id }) => id);
    this.entries.push({ action, subject: about.id, about, places, ...more });
  }

  sees(who: Person, { about, onlyTenantOwners }: Entry): boolean {
    if (who.inTenant === 'Owner') return true;
    if (onlyTenantOwners) return false;
    if (!('node' in about)) return this.model.can(who, about, 'canReadContent');
    const said = (type: Permission['type']) =>
      about.permissions.some(
        (one) => one.type === type && one.operation === 'read' && one.principals.includes(who.userId),
      );
    // a denial of the project holds for its datasets, whatever they allow
    const denied = this.denies(who, about.node) || said('Denied');
    return !denied && (this.model.can(who, about.node, 'canReadContent') || said('Allowed'));
  }

  private denies(who: Person, node: Node): boolean {
    const up = this.model.up(node);
    return up
      .slice(0, up.indexOf(this.model.source(node)) + 1)
      .some(({ permissions }) =>
        permissions.some((one) => one.type === 'Denied' && one.principals.includes(who.userId)),
      );
  }

  /** What was deleted for good takes its entries along. */
  forget(gone: ReadonlySet<Node | Content>) {
    this.entries = this.entries.filter(({ about }) => !gone.has(about));
  }
}

const log = new Log();
const { model, contents } = log;
let people: (Person & User)[] = [];
let owner: Person & User;

const alive = () => [...model.nodes.values()].filter((node) => model.alive(node));
const binned = () => [...model.nodes.values()].filter((node) => node.deletedBy !== undefined);
const reads = (): Permission[] =>
  random() < 0.3
    ? []
    : [{ principals: [pick(people).userId], operation: 'read', type: pick(['Allowed', 'Denied', 'Denied'] as const) }];
/** A move of a dataset must say it. */
const VERSION = { 'api-version': '3.0' };
const url = (node: Node, rest = '') => `/api/metadata/project/${node.id}${rest}`;

async function sent(t: ExecutionContext, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  const answer = await w.as(owner).send({ method, url: path, headers: VERSION, ...(body ? { payload: body } : {}) });
  t.true(answer.status < 300, `${SEED}: ${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const operations: ((t: ExecutionContext) => Promise<void>)[] = [
  async function createsProject(t) {
    const parent = pick(alive());
    const inherits = random() < 0.6;
    const { id } = await sent(t, 'POST', url(parent, '/subproject'), { name: 'sub', inheritsMembers: inherits });
    const members = new Map<string, Role>(inherits ? [] : [[owner.userId, 'Owner']]);
    model.add({ id, parent, inherits, members });
    log.add('project.create', model.nodes.get(id) as Node);
  },
  async function createsDataset() {
    const node = pick(alive());
    const content: Content = { id: await newDataset(w, node.id, owner), node, permissions: [], deleted: false };
    contents.set(content.id, content);
    log.add('dataset.create', content);
  },
  async function setsMember(t) {
    const node = pick(alive());
    const { userId } = pick(people);
    const role = pick(['Contributor', 'Reader'] as const);
    if (model.source(node).members.get(userId) === 'Owner') return;
    const [had, inherited] = [model.source(node).members.get(userId), node.inherits];
    await sent(t, 'POST', url(node, '/member'), { userId, role });
    t.is(model.setMember(owner, node, userId, role), 200);
    if (inherited) log.add('project.change', node);
    if (had !== role) log.add('project.member.set', node, { subject: userId });
  },
  async function setsPermissions(t) {
    const node = pick(alive());
    const permissions = reads();
    const { name, rowVersion, permissions: before } = await sent(t, 'GET', url(node));
    await sent(t, 'PUT', '/api/metadata/project', { id: node.id, name, rowVersion, permissions });
    model.setPermissions(owner, node, permissions);
    const after = (await sent(t, 'GET', url(node))).permissions;
    if (JSON.stringify(before) !== JSON.stringify(after)) log.add('project.change', node);
  },
  async function setsPermissionsOfDataset(t) {
    const content = pick([...contents.values()].filter((one) => !one.deleted && model.alive(one.node)));
    if (content === undefined) return;
    const permissions = reads();
    const before = await sent(t, 'GET', `/api/metadata/dataset/${content.id}`);
    const after = await sent(t, 'PUT', url(content.node, '/dataset'), { ...before, permissions });
    content.permissions = permissions;
    if (JSON.stringify(before.permissions) !== JSON.stringify(after.permissions)) log.add('dataset.change', content);
  },
  async function movesProject(t) {
    const node = pick(alive().filter(({ parent }) => parent !== undefined));
    const target = pick(alive());
    if (node === undefined || model.up(target).includes(node) || node.parent === target) return;
    const before = model.up(node).map(({ id }) => id);
    await sent(t, 'POST', url(node, '/move'), { targetProjectId: target.id });
    node.parent = target;
    log.add('project.move', node, { places: [...before, ...model.up(node).map(({ id }) => id)] });
  },
  async function movesDataset(t) {
    const content = pick([...contents.values()].filter((one) => !one.deleted && model.alive(one.node)));
    const target = pick(alive());
    if (content === undefined || content.node === target) return;
    const before = model.up(content.node).map(({ id }) => id);
    await sent(t, 'POST', `/api/metadata/dataset/${content.id}/move`, { targetProjectId: target.id });
    content.node = target;
    log.add('dataset.move', content, { places: [...before, ...model.up(target).map(({ id }) => id)] });
  },
  async function deletesProject(t) {
    const node = pick(alive().filter(({ parent }) => parent !== undefined));
    if (node === undefined) return;
    await sent(t, 'DELETE', url(node));
    t.is(model.delete(owner, node), 204);
    log.add('project.delete', node);
  },
  async function deletesDataset(t) {
    const content = pick([...contents.values()].filter((one) => !one.deleted && model.alive(one.node)));
    if (content === undefined) return;
    await sent(t, 'DELETE', `/api/metadata/dataset/${content.id}`);
    content.deleted = true;
    log.add('dataset.delete', content);
  },
  async function restoresProject(t) {
    const node = pick(binned());
    if (node === undefined) return;
    const restored = model.up(node).filter((one) => one.deletedBy !== undefined);
    await sent(t, 'PUT', `/api/recycle-bin/project/${node.id}/restore`);
    t.is(model.restore(owner, node), 204);
    for (const one of restored) log.add('project.restore', one);
  },
  async function purgesProject(t) {
    if (random() < 0.7) return;
    const node = pick(binned());
    if (node?.parent === undefined) return;
    const gone = new Set<Node | Content>([node, ...model.below(node)]);
    for (const content of contents.values()) if (gone.has(content.node)) gone.add(content);
    const closed = !node.inherits || node.permissions.some(({ type }) => type === 'Denied');
    await sent(t, 'DELETE', `/api/recycle-bin/project/${node.id}`);
    const { parent } = node;
    t.is(model.purge(owner, node), 204);
    for (const one of gone) contents.delete(one.id);
    log.forget(gone);
    log.add('project.purge', parent, { subject: node.id, onlyTenantOwners: closed });
  },
];

interface Listed {
  time: string;
  action: string;
  by?: string;
  subject: { id: string };
}

async function allPages(t: ExecutionContext, who: User, path: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await w.as(who).get(`${path}?limit=17${query}`);
    t.is(status, 200, path);
    listed.push(...body.data);
    cursor = body.cursor;
    if (cursor === undefined) return listed;
  }
}

const lines = (entries: readonly { action: string; subject: string }[]) =>
  entries.map(({ action, subject }) => `${action} ${subject}`).sort();

test(`people see the activity of what they may see, and no other (seed ${SEED})`, async (t) => {
  t.timeout(240_000);
  const { tenantId } = await w.account();
  const make = async (role: 'Owner' | 'Member') => {
    const made = await w.account({ tenantId, role });
    return { ...made, groups: [], inTenant: role } satisfies Person;
  };
  owner = await make('Owner');
  people = [];
  for (let n = 0; n < 5; n++) people.push(await make('Member'));
  const { id } = await sent(t, 'POST', '/api/metadata/project', { name: 'root' });
  model.add({ id, parent: undefined, inherits: false, members: new Map([[owner.userId, 'Owner']]) });
  log.add('project.create', model.nodes.get(id) as Node);

  for (let n = 0; n < OPERATIONS; n++) await operations[n < 20 ? n % 3 : Math.floor(random() * operations.length)]?.(t);

  let compared = 0;
  for (const who of [owner, ...people]) {
    for (const node of alive()) {
      if (!model.sees(who, node)) {
        t.is((await w.as(who).get(url(node, '/activity'))).status, 404);
        continue;
      }
      const listed = await allPages(t, who, url(node, '/activity'));
      const expected = log.entries.filter((one) => one.places.includes(node.id) && log.sees(who, one));
      t.deepEqual(
        lines(listed.map(({ action, subject }) => ({ action, subject: subject.id }))),
        lines(expected),
        `${SEED}: ${who.id} in ${node.id}`,
      );
      t.true(listed.every(({ by }) => by === owner.userId));
      t.deepEqual(
        listed
          .map(({ time }) => time)
          .toSorted()
          .toReversed(),
        listed.map(({ time }) => time),
      );
      compared += listed.length;
    }
  }
  t.true(compared > OPERATIONS, `only ${compared} entries`);
});
