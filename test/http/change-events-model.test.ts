import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { emit } from '../../src/outbox.ts';
import { randomOf } from '../world/random.ts';
import { type EventStream, openStream } from '../world/streams.ts';
import { ownWorld, PASSWORD_ITERATIONS } from '../world.ts';
import { Model, type Node, type Permission, type Person, type Role } from './project-model.ts';

/**
 * Random changes of several trees through two servers on one database, while people follow the events of both: each
 * change is heard once by those who see the thing after it, the last `memberschanged` by those who saw it before.
 * `EVENT_CHANGES=10000` for more of them, `EVENT_SEED=n` for the choices of an earlier run.
 */
const CHANGES = Number(process.env.EVENT_CHANGES ?? 240);
const SEED = Number(process.env.EVENT_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Changes at once, one in each tree. */
const TREES = 6;
const LIST = '/api/eventing/event/list';
const GROUP = 'Hearers';
const ROLES: readonly Role[] = ['Owner', 'Contributor', 'Reader'];

const w = ownWorld(test);
const random = randomOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

const model = new Model();
/** A dataset has the rights of a project that inherits. */
interface File {
  node: Node;
  deleted: boolean;
}
const files = new Map<string, File>();
const sees = (who: Person, node: Node) => model.can(who, node, 'canReadContent');
const reads = ({ permissions }: Node) => permissions.some(({ operation }) => operation === 'read');

type Servers = readonly [typeof w.app, typeof w.app];
/** A change that is expected to succeed: events as `type id`, and the nodes that they tell of. */
interface Change {
  method: 'POST' | 'PUT' | 'DELETE';
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Changes the model; called with the answer. */
  apply(answer: { id?: string }): void;
  /** Type and id of each event; the id of a new thing is `new`. */
  events: [type: string, id: string][];
}

test.serial(
  `${CHANGES} random changes are heard once by those who may, and by no others (EVENT_SEED=${SEED})`,
  async (t) => {
    t.timeout(Math.max(600_000, CHANGES * 200));
    const { config, db, url: databaseUrl, blobs } = w;
    const log = pino({ level: 'fatal' });
    const other = await buildApp({ config, db, databaseUrl, blobs, log, passwordIterations: PASSWORD_ITERATIONS });
    t.teardown(() => other.close());
    const servers: Servers = [w.app, other];
    const addresses = [await w.listen(), await other.listen({ port: 0, host: '127.0.0.1' })];

    const administrator = w.as(await w.administrator());
    const [tenantId, elsewhere] = [await w.tenant(), await w.tenant()];
    await administrator.post('/api/usergroups', { id: 'hearers', name: GROUP });
    const person = async (inTenant: Person['inTenant'], groups: string[] = []): Promise<Person> => {
      const role = inTenant === 'Owner' ? 'Owner' : 'Member';
      const { userId, id } = await w.account({ tenantId: inTenant === 'no' ? elsewhere : tenantId, role });
      if (groups.length > 0) await administrator.post(`/api/usergroups/user/${userId}`, ['hearers']);
      return { userId, id, groups, inTenant };
    };
    const owner = await person('Owner');
    const members = [await person('Member'), await person('Member'), await person('Member', [GROUP])];
    const people = [owner, ...members, await person('Member'), await person('no')];
    const authorization = new Map<string, string>();
    for (const who of people) authorization.set(who.userId, `Bearer ${await w.tokenOf(who)}`);
    const streams = new Map<Person, EventStream>();
    for (const [n, who] of people.entries()) {
      const stream = await openStream(`${addresses[n % 2]}${LIST}`, { authorization: authorization.get(who.userId)! });
      t.teardown(stream.close);
      streams.set(who, stream);
    }

    const send = async (server: number, { method, url, body, headers }: Omit<Change, 'apply' | 'events'>) => {
      const answer = await servers[server]!.inject({
        method,
        url,
        headers: { authorization: authorization.get(owner.userId), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
      return answer.body === '' ? {} : answer.json();
    };
    const metadata = (node: Node, rest = '') => `/api/metadata/project/${node.id}${rest}`;
    const somePermissions = (): Permission[] =>
      Array.from({ length: Math.floor(random() * 3) }, () => ({
        principals: [pick([...members.map(({ userId }) => userId), pick(members).id, GROUP])],
        operation: 'read',
        type: pick(['Allowed', 'Denied'] as const),
      }));
    const listed = (roles: Map<string, Role>) => [...roles].map(([userId, role]) => ({ userId, role }));
    const someMembers = () =>
      new Map<string, Role>([
        [owner.userId, 'Owner'],
        ...members.filter(() => random() < 0.5).map((who) => [who.userId, pick(ROLES)] as const),
      ]);

    const create = (parent: Node | undefined): Change => {
      const inherits = parent !== undefined && random() < 0.5;
      const roles = inherits ? new Map<string, Role>() : someMembers();
      return {
        method: 'POST',
        url: parent ? metadata(parent, '/subproject') : '/api/metadata/project',
        body: {
          name: `p${Math.floor(random() * 1e6)}`,
          ...(inherits ? { inheritsMembers: true } : { members: listed(roles) }),
        },
        apply: ({ id = '' }) => model.add({ id, parent, inherits, members: roles }),
        events: [['projectcreated', 'new']],
      };
    };
    const createFile = (node: Node): Change => ({
      method: 'POST',
      url: `/api/hierarchy/project/${node.id}`,
      body: { actions: [{ type: 'PathActionCreate', path: `f${Math.floor(random() * 1e6)}` }] },
      apply: ({ id = '' }) => {
        const file = { id, parent: node, inherits: true, members: new Map(), permissions: [], deletedBy: undefined };
        files.set(id, { node: file, deleted: false });
      },
      events: [['datasetcreated', 'new']],
    });
    const permit = (node: Node): Change => {
      const permissions = somePermissions();
      const changed = JSON.stringify(permissions) !== JSON.stringify(node.permissions);
      return {
        method: 'PUT',
        url: '/api/metadata/project',
        body: { id: node.id, name: `p${random()}`, permissions },
        apply: () => {
          node.permissions = permissions;
        },
        events: [
          ['projectchanged', node.id],
          ...(changed ? ([['memberschanged', node.id]] as const) : []),
        ] as Change['events'],
      };
    };
    const setMembers = (node: Node): Change => {
      const roles = someMembers();
      const same = !node.inherits && JSON.stringify([...roles].sort()) === JSON.stringify([...node.members].sort());
      return {
        method: 'PUT',
        url: metadata(node, '/members'),
        body: { members: listed(roles) },
        apply: () => void model.setMembers(owner, node, roles),
        events: [[same ? 'projectchanged' : 'memberschanged', node.id]],
      };
    };
    const setMember = (node: Node): Change => {
      const [{ userId }, role] = [pick(members), pick(ROLES)];
      const same = !node.inherits && node.members.get(userId) === role;
      return {
        method: 'POST',
        url: metadata(node, '/member'),
        body: { userId, role },
        apply: () => void model.setMember(owner, node, userId, role),
        events: [[same ? 'projectchanged' : 'memberschanged', node.id]],
      };
    };
    const inherit = (node: Node): Change => ({
      method: 'PUT',
      url: metadata(node, '/members/inherit'),
      apply: () => void model.inherit(owner, node),
      events: [[node.inherits ? 'projectchanged' : 'memberschanged', node.id]],
    });
    const move = (node: Node, target: Node): Change => {
      const { parent, inherits } = node;
      const paths = [...model.up(node), ...model.up(target)];
      const rights = inherits && (model.source(node) !== model.source(target) || paths.some(reads));
      return {
        method: 'POST',
        url: metadata(node, '/move'),
        body: { targetProjectId: target.id },
        apply: () => {
          node.parent = target;
        },
        events: [
          ['projectmoved', node.id],
          ['projectchanged', parent?.id ?? ''],
          ...(rights ? ([['memberschanged', node.id]] as [string, string][]) : []),
        ],
      };
    };
    const remove = (node: Node): Change => ({
      method: 'DELETE',
      url: metadata(node),
      apply: () => void model.delete(owner, node),
      events: [['projectdeleted', node.id]],
    });
    const restore = (node: Node): Change => ({
      method: 'PUT',
      url: `/api/recycle-bin/project/${node.id}/restore`,
      events: model
        .up(node)
        .filter(({ deletedBy }) => deletedBy !== undefined)
        .map(({ id }) => ['projectrestored', id]),
      apply: () => void model.restore(owner, node),
    });
    const changeFile = ({ node, deleted }: File, file: File): Change => {
      const url = `/api/metadata/dataset/${node.id}`;
      if (deleted)
        return {
          method: 'PUT',
          url: `/api/recycle-bin/dataset/${node.id}/restore`,
          apply: () => {
            file.deleted = false;
          },
          events: [['datasetrestored', node.id]],
        };
      if (random() < 0.25)
        return {
          method: 'DELETE',
          url,
          apply: () => {
            file.deleted = true;
          },
          events: [['datasetdeleted', node.id]],
        };
      const targets = [...model.nodes.values()].filter(
        (one) => model.root(one) === model.root(node) && model.alive(one),
      );
      const target = pick(targets);
      const from = node.parent?.id ?? '';
      if (random() < 0.3 && target !== node.parent)
        return {
          method: 'POST',
          url: `${url}/move`,
          body: { targetProjectId: target.id },
          headers: { 'api-version': '3' },
          apply: () => {
            node.parent = target;
          },
          events: [
            ['datasetchanged', node.id],
            ['projectchanged', from],
          ],
        };
      const permissions = somePermissions();
      const changed = JSON.stringify(permissions) !== JSON.stringify(node.permissions);
      return {
        method: 'PUT',
        url: `/api/metadata/project/${from}/dataset`,
        body: { id: node.id, name: `f${random()}`, permissions },
        apply: () => {
          node.permissions = permissions;
        },
        events: [
          ['datasetchanged', node.id],
          ...(changed ? ([['memberschanged', node.id]] as [string, string][]) : []),
        ],
      };
    };

    const anyChange = (root: Node): Change => {
      const tree = [root, ...model.below(root)];
      const alive = tree.filter((node) => model.alive(node));
      const bin = tree.filter((node) => node.deletedBy !== undefined);
      if (alive.length === 0 || (bin.length > 0 && random() < 0.1)) return restore(pick(bin));
      const node = pick(alive);
      const own = [...files.values()].filter((file) => model.root(file.node) === root && model.alive(file.node));
      const at = random();
      if (own.length > 0 && at < 0.25) {
        const file = pick(own);
        return changeFile(file, file);
      }
      if (at < 0.35) return createFile(node);
      if (at < 0.5 && tree.length < 12) return create(node);
      if (at < 0.62) return permit(node);
      if (at < 0.72) return setMembers(node);
      if (at < 0.8) return setMember(node);
      if (at < 0.86 && node.parent) return inherit(node);
      if (at < 0.94 && node.parent) {
        const targets = alive.filter((one) => one !== node.parent && !model.up(one).includes(node));
        if (targets.length > 0) return move(node, pick(targets));
      }
      return node.parent ? remove(node) : permit(node);
    };
    const nodeOf = (id: string) => model.nodes.get(id) ?? files.get(id)?.node;

    const roots: Node[] = [];
    for (let n = 0; n < TREES; n++) {
      const change = create(undefined);
      const { id } = await send(n % 2, change);
      change.apply({ id });
      roots.push(model.nodes.get(id) as Node);
    }
    const until = async (mark: string) => {
      for (const { userId } of people)
        await db.transaction((tx) =>
          emit(tx, { type: 'svc.platform.events.transferstartedevent', source: mark, userId, data: {} }),
        );
      return new Map(
        await Promise.all(
          [...streams].map(async ([who, stream]) => {
            while (!stream.heard.some(({ event }) => event.source === mark))
              await stream.until(stream.heard.length + 1);
            const heard = stream.heard.splice(0).filter(({ event }) => event.source !== mark);
            return [
              who,
              heard.map(({ event }) => `${event.type.replace(/^.*\.(\w+)event$/, '$1')} ${event.data.Id}`),
            ] as const;
          }),
        ),
      );
    };
    await until('begin');

    let told = 0;
    const kinds = new Set<string>();
    for (let done = 0; done < CHANGES; done += TREES) {
      const changes = roots.map((root) => anyChange(root));
      const saw = new Map(
        changes.flatMap(({ events }) =>
          events.map(([, id]) => {
            const node = nodeOf(id);
            return [id, people.filter((who) => node !== undefined && sees(who, node))] as const;
          }),
        ),
      );
      const answers = await Promise.all(changes.map((change, n) => send((n + done) % 2, change)));
      const expected = new Map<Person, string[]>(people.map((who) => [who, []]));
      for (const [n, change] of changes.entries()) {
        const made = answers[n].id ?? answers[n].results?.[0]?.id ?? answers[n].results?.[0]?.datasetId;
        change.apply({ id: made });
        for (const [type, at] of change.events) {
          const id = at === 'new' ? made : at;
          const node = nodeOf(id);
          if (!node) throw new Error(`${type} ${id} ${JSON.stringify(answers[n])}`);
          kinds.add(type);
          for (const who of people) {
            const hears = sees(who, node) || (type === 'memberschanged' && saw.get(at)?.includes(who));
            if (hears) expected.get(who)?.push(`${type} ${id}`);
            if (hears) told++;
          }
        }
      }
      const heard = await until(`changes ${done}`);
      for (const who of people) {
        const lines = heard.get(who)?.toSorted();
        const what = changes.map(({ method, url, body }) => `${method} ${url} ${JSON.stringify(body)}`).join('\n');
        t.deepEqual(lines, expected.get(who)?.toSorted(), `${JSON.stringify(who)}, step ${done}:\n${what}`);
      }
      if (!t.passed) return;
    }
    t.log(`${told} events heard of ${[...kinds].sort().join(', ')}`);
    t.true(kinds.size >= 8);
  },
);
