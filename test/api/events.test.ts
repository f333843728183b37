import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { sql } from '../../src/db.ts';
import { emit } from '../../src/outbox.ts';
import { makeFolder } from '../world/projects.ts';
import { newProject } from '../world/transfers.ts';
import { type Client, ownWorld, type User } from '../world.ts';

const w = ownWorld(test);
const LIST = '/api/eventing/event/list';

interface EventScope {
  tenantId?: string;
  projectId?: string;
  userId?: string;
}
let made = 0;
/** Emits an event of this tenant, project and user; returns its unique mark. */
async function happen(place: EventScope = {}): Promise<string> {
  const resourceId = `thing-${++made}`;
  await w.db.transaction((tx) =>
    emit(tx, {
      type: 'svc.platform.events.transferstartedevent',
      source: '/test',
      resourceId,
      data: {},
      ...place,
    }),
  );
  return resourceId;
}

/** All that the client may read after this offset: other tests of this file write thousands of events meanwhile. */
async function allEvents(client: Client, from = 0) {
  const found = [];
  for (let after = from; ; ) {
    const { status, body } = await client.get(`${LIST}?after=${after}&limit=1000`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    if (body.data.length === 0) return found;
    found.push(...body.data);
    after = body.data.at(-1).offset;
  }
}
const everything = async (client: Client): Promise<string[]> =>
  (await allEvents(client)).map((event) => event.resourceid);
const sees = async (client: Client, resourceId: string) => (await everything(client)).includes(resourceId);

test('an event appears after all events that were readable before, in any commit order', async (t) => {
  const root = w.as(await w.administrator());
  const clients = [new pg.Client(w.url), new pg.Client(w.url)] as const;
  const [slow, quick] = clients;
  for (const client of clients) await client.connect();
  t.teardown(async () => {
    for (const client of clients) await client.end();
  });
  const insert = (client: pg.Client, resourceId: string) =>
    client.query(
      `insert into events (type, source, resource_id, data) values ('svc.platform.events.transferstartedevent', '/test', $1, '{}')`,
      [resourceId],
    );
  await slow.query('begin');
  await insert(slow, 'slow');
  await quick.query('begin');
  await insert(quick, 'quick');
  t.false((await everything(root)).includes('quick'), 'not committed');
  await quick.query('commit');

  let after = 0;
  const before: string[] = [];
  for (;;) {
    const { body } = await root.get(`${LIST}?after=${after}&limit=2`);
    if (body.data.length === 0) break;
    for (const event of body.data) before.push(event.resourceid);
    after = body.data.at(-1).offset;
  }
  t.true(before.includes('quick'));
  t.false(before.includes('slow'));
  await slow.query('commit');
  t.true(
    (await allEvents(root, after)).some(({ resourceid }) => resourceid === 'slow'),
    'behind the last one that was read',
  );
});

test('concurrent readers get the same events in the same order during writes', async (t) => {
  const { userId } = await w.account();
  const me = w.as({ userId });
  const writing = Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      if (at % 3 === 0) await happen({ userId });
      else
        await w.db.transaction(async (tx) => {
          const event = {
            type: 'svc.platform.events.transferstartedevent',
            source: '/test',
            userId,
            data: {},
          } as const;
          await emit(tx, { ...event, resourceId: `batch-${at}` });
          await tx.query(sql.unsafe`select pg_sleep(${(at % 7) * 0.01})`);
        });
    }),
  );
  const follow = async () => {
    const found: string[] = [];
    let after = 0;
    let done = false;
    void writing.then(() => {
      done = true;
    });
    for (;;) {
      const last = done;
      const { body } = await me.get(`${LIST}?after=${after}&limit=5`);
      for (const event of body.data) found.push(event.id);
      after = body.data.at(-1)?.offset ?? after;
      if (last && body.data.length === 0) return found;
    }
  };
  const [one, two, three] = await Promise.all([follow(), follow(), follow()]);
  t.is(new Set(one).size, 60);
  t.deepEqual(two, one);
  t.deepEqual(three, one);
});

test.serial(
  'a reader whose transaction the database ends in the middle of publishing publishes once more',
  async (t) => {
    const { userId } = await w.account();
    const me = w.as({ userId });
    const other = new pg.Client(w.url);
    await other.connect();
    t.teardown(() => other.end());
    await other.query('begin');
    await other.query(`select pg_advisory_xact_lock(hashtextextended('events publishing', 0))`);
    const resourceId = await happen({ userId });
    const reading = sees(me, resourceId);
    const ended = async () => {
      const { rows } = await other.query(`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`);
      return rows.length > 0;
    };
    while (!(await ended())) await sleep(20);
    await other.query('commit');
    t.true(await reading);
  },
);

test('events are CloudEvents 1.0: attribute names in lower case, data unchanged, no other members', async (t) => {
  const root = w.as(await w.administrator());
  const owner = await w.account({ role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  await w.db.transaction((tx) =>
    emit(tx, {
      type: 'svc.platform.events.projectdestroyedevent',
      source: '/svc/platform/metadata',
      subject: 'Project destroyed',
      tenantId: owner.tenantId,
      projectId,
      userId: owner.userId,
      resourceId: projectId,
      requestId: 'r-1',
      data: { Id: projectId, Name: 'Ä', CustomerGuid: owner.tenantId, Nothing: null },
    }),
  );
  const event = (await allEvents(root)).find(
    (one) => one.resourceid === projectId && one.subject === 'Project destroyed',
  );
  const { offset, id, time, ...rest } = event;
  t.deepEqual(rest, {
    specversion: '1.0',
    source: '/svc/platform/metadata',
    type: 'svc.platform.events.projectdestroyedevent',
    subject: 'Project destroyed',
    datacontenttype: 'application/json',
    customerid: owner.tenantId,
    projectid: projectId,
    userid: owner.userId,
    resourceid: projectId,
    data: { Id: projectId, Name: 'Ä', CustomerGuid: owner.tenantId, Nothing: null },
  });
  t.true(Number.isInteger(offset) && offset > 0);
  t.regex(id, /^[0-9a-f-]{36}$/);
  t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
  const sweep = await happen({ tenantId: owner.tenantId });
  const last = (await allEvents(root)).find((one) => one.resourceid === sweep);
  t.false('userid' in last, 'left out when nobody caused it');
  t.false('subject' in last);
});

test('administrators see all events, Owners those of their tenant, others their own and those of readable projects', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const reader = await w.account({ tenantId });
  const member = await w.account({ tenantId });
  const stranger = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const root = await w.administrator();
  const projectId = await newProject(w.as(owner), 'River', [{ user: reader, role: 'Reader' }]);
  const events: [resourceId: string, seenBy: User[]][] = [
    [await happen({ tenantId, projectId, userId: owner.userId }), [root, owner, reader]],
    [await happen({ tenantId, userId: member.userId }), [root, owner, member]],
    [await happen({ tenantId }), [root, owner]],
    [await happen(), [root]],
    [await happen({ tenantId, projectId: crypto.randomUUID() }), [root, owner]],
  ];
  for (const user of [root, owner, reader, member, stranger])
    for (const [resourceId, seenBy] of events)
      t.is(await sees(w.as(user), resourceId), seenBy.includes(user), `${user.id} ${resourceId}`);
});

test('visibility does not depend on the number of events', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const reader = await w.account({ tenantId });
  const projectId = await newProject(w.as(owner), 'River', [{ user: reader, role: 'Reader' }]);
  const other = await newProject(w.as(owner), 'Lake');
  await w.sql(
    `insert into events (type, source, tenant_id, project_id, resource_id, data)
     select 'svc.platform.events.transferstartedevent', '/test', $1, case when n % 10 = 0 then $2::uuid else $3::uuid end, n::text, '{}'
     from generate_series(1, 1200) n`,
    [tenantId, projectId, other],
  );
  const client = w.as(reader);
  const started = 'types=svc.platform.events.transferstartedevent';
  const { data: many } = (await client.get(`${LIST}?limit=1000&${started}`)).body;
  t.is(many.length, 120);
  const { data: few } = (await client.get(`${LIST}?after=${many[99].offset}&${started}`)).body;
  t.deepEqual(few.slice(0, 20), many.slice(100));
});

test('accounts that could read a permanently removed project can still read its events', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const reader = await w.account({ tenantId });
  const below = await w.account({ tenantId });
  const member = await w.account({ tenantId });
  const top = await newProject(w.as(owner), 'Top', [{ user: reader, role: 'Reader' }]);
  /** Below `top`; with a reader it does not inherit. */
  const child = async (name: string, only?: User) => {
    const id = crypto.randomUUID();
    await w.sql(
      `insert into projects (id, tenant_id, parent_id, root_id, path, member_source_id, inherits_members, name, created_by, updated_by)
       values ($1, $2, $3, $3, array[$3, $1]::uuid[], $4, $5, $6, $7, $7)`,
      [id, tenantId, top, only ? id : top, only === undefined, name, owner.userId],
    );
    if (only) await w.sql(`insert into project_members values ($1, $2, 'Reader')`, [id, only.userId]);
    return id;
  };
  const inheriting = await child('Inheriting');
  const own = await child('Own', below);
  const events = {
    inheriting: await happen({ tenantId, projectId: inheriting }),
    own: await happen({ tenantId, projectId: own }),
    top: await happen({ tenantId, projectId: top }),
  };
  const seen = async (user: User) => {
    const all = await everything(w.as(user));
    return Object.entries(events).flatMap(([name, id]) => (all.includes(id) ? [name] : []));
  };
  const expected = async (when: string) => {
    t.deepEqual(await seen(reader), ['inheriting', 'top'], when);
    t.deepEqual(await seen(below), ['own'], when);
    t.deepEqual(await seen(member), [], when);
    t.deepEqual(await seen(owner), ['inheriting', 'own', 'top'], when);
  };
  await expected('all there');
  await w.sql('delete from projects where id = any($1)', [[inheriting, own]]);
  await expected('what lay below is removed');
  await w.sql('delete from projects where id = $1', [top]);
  await expected('all is removed');
});

test('a user with denied read access to a project does not see the event of its removal', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const [reader, byId, byGroup] = [
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const group = `Denied ${byGroup.id}`;
  await w.as(await w.administrator()).post('/api/usergroups', { name: group, users: [byGroup.id] });
  const members = [reader, byId, byGroup].map((user) => ({ user, role: 'Reader' as const }));
  const top = await newProject(w.as(owner), 'Top', members);
  const { id: closed } = await makeFolder(w, owner, top, 'Closed');
  const { body: record } = await w.as(owner).get(`/api/metadata/project/${closed}`);
  const permissions = [{ principals: [byId.id.toUpperCase(), group], operation: 'read', type: 'Denied' }];
  const denied = await w.as(owner).put('/api/metadata/project', { ...record, permissions });
  t.is(denied.status, 200, JSON.stringify(denied.body));
  const event = await happen({ tenantId, projectId: closed });
  const seeing = async () => {
    const all = await Promise.all([owner, reader, byId, byGroup].map((user) => everything(w.as(user))));
    return all.map((ids) => ids.includes(event));
  };
  t.deepEqual(await seeing(), [true, true, false, false]);
  await w.sql('delete from projects where id = $1', [closed]);
  t.deepEqual(await seeing(), [true, true, false, false], 'one of two is removed');
  await w.sql('delete from projects where id = $1', [top]);
  t.deepEqual(await seeing(), [true, true, false, false], 'both are removed');
});

test('after and limit default to the beginning and fifty; values that are not numbers are refused', async (t) => {
  const user = await w.account();
  for (let n = 0; n < 60; n++) await happen({ userId: user.userId });
  const client = w.as(user);
  const { body } = await client.get(LIST);
  t.is(body.data.length, 50);
  const offsets: number[] = body.data.map(({ offset }: { offset: number }) => offset);
  t.deepEqual(
    offsets,
    offsets.toSorted((a, b) => a - b),
  );
  t.is((await client.get(`${LIST}?after=${offsets.at(-1)}`)).body.data.length, 10);
  t.deepEqual((await client.get(`${LIST}?after=9007199254740991`)).body, { data: [] });
  for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=1001', 'after=1&after=2'])
    t.is((await client.get(`${LIST}?${query}`)).status, 400, query);
});
