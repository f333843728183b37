import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { listExtendedDetails, STATUSES } from '../../src/credits/balance.queries.ts';
import { listText } from '../../src/credits/balance.routes.ts';
import { inParts } from '../../src/credits/balance.ts';
import { bookExpiredCredits } from '../../src/credits/expire.ts';
import { project } from '../../src/credits/forecast.ts';
import { releaseCredits, reserveCredits, spendCredits } from '../../src/credits/queries.ts';
import type { MaintenanceRun } from '../../src/platform/async/maintenance-run.ts';
import { type Answer, type Client, ownWorld, type User } from '../world.ts';

const w = ownWorld(test);
const PATH = '/api/iam/credit';
const reference = (name: string) => ({
  billingReference: name,
  billingReferenceTag: 'note',
  billingReferenceType: 'EXT',
});
const SOON = '2999-01-31';
const LATER = '2999-12-31';

let sellerMade: Promise<User> | undefined;
async function seller(): Promise<Client> {
  sellerMade ??= w.account({ roles: 'BackOffice' });
  return w.as(await sellerMade);
}
const root = async () => w.as(await w.administrator());

interface Lot {
  credits?: number;
  expiresAt?: string;
  name?: string;
  salesOrderId?: string;
}
const lotOf = (tenantId: string, { credits = 100, expiresAt = LATER, name = 'R', salesOrderId = 'SO' }: Lot) => ({
  credits,
  billingReference: reference(name),
  salesOrderId,
  expiresAt,
  tenantId,
});

/** A tenant with an Owner and these lots. */
async function shop(...lots: Lot[]) {
  const tenantId = await w.tenant();
  const user = await w.account({ tenantId, role: 'Owner' });
  const owner = w.as(user);
  const put = async (lot: Lot) => (await seller()).post(PATH, lotOf(tenantId, lot));
  for (const lot of lots) await put(lot);
  const use = (verb: string, body: object, query = '', headers = {}) =>
    owner.put(`${PATH}/${verb}${query}`, { tenantId, ...body }, headers);
  return {
    tenantId,
    user,
    owner,
    put,
    use,
    reserve: (credits: number, operationId?: string) => use('reserve', { credits, operationId }),
    spend: (credits: number, operationId?: string) => use('spend', { credits, operationId }),
    release: (operationId: string) => use('release', { operationId }),
    async balance(query = ''): Promise<Record<string, number>> {
      const { body } = await owner.get(`${PATH}/${tenantId}${query}`);
      return Object.fromEntries(body.data.map((row: { status: string; credits: number }) => [row.status, row.credits]));
    },
    async details(kind = 'details', query = '') {
      const { status, body } = await owner.post(`${PATH}/${kind}${query}`, { tenantId });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.data as Record<string, unknown>[];
    },
  };
}
const inTime = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
const until = (time: string) => Math.max(0, Date.parse(time) - Date.now() + 1);
/** Adds 5 credits that expire soon, and returns when. A time that is over before they are there is set anew. */
async function putSoon(put: (lot: Lot) => Promise<Answer>, milliseconds: number): Promise<string> {
  for (;;) {
    const expiresAt = inTime(milliseconds);
    const { status, body } = await put({ credits: 5, expiresAt });
    if (status === 200) return expiresAt;
    if (Date.now() < Date.parse(expiresAt)) throw new Error(JSON.stringify(body));
  }
}
const eventsOf = async (name: string, tenantId: string) =>
  (
    await w.sql('select data from events where type = $1 and tenant_id = $2', [
      `svc.platform.events.${name}event`,
      tenantId,
    ])
  ).map(({ data }) => data as Record<string, unknown>);
const verified = async () => (await (await root()).get(`${PATH}/verify`)).body;

test('only BackOffice and PlatformAdministrator can add credits, with a token; administrators, Owners and keys cannot', async (t) => {
  const { tenantId, owner, put } = await shop();
  t.deepEqual((await put({ credits: 100 })).body, { credits: 100 });
  const platform = w.as(await w.account({ roles: 'PlatformAdministrator' }));
  t.deepEqual((await platform.post(PATH, lotOf(tenantId, { credits: 0.000001 }))).body, { credits: 100.000001 });
  t.is((await (await root()).post(PATH, lotOf(tenantId, {}))).status, 403);
  t.is((await owner.post(PATH, lotOf(tenantId, {}))).status, 403);
  const { body } = await owner.post('/api/iam/key', { name: 'k', role: 'Owner' });
  const key = { 'svc-open-api-key': body.key };
  t.is((await w.nobody.post(PATH, lotOf(tenantId, {}), key)).status, 403);
  t.is((await w.nobody.put(`${PATH}/reserve`, { tenantId, credits: 1 }, key)).status, 200);
  t.is((await w.nobody.get(`${PATH}/${tenantId}`, key)).status, 200);
  t.is((await w.nobody.put(`${PATH}/move`, { sourceTenantId: tenantId, credits: 1 }, key)).status, 403);
  const gone = '0198c0de-0000-7000-8000-000000000000';
  for (const answer of [await platform.post(PATH, lotOf(gone, {})), await owner.post(PATH, lotOf(gone, {}))])
    t.is(answer.status, 404);
});

test('a CreditSpender can spend for every tenant but cannot read balances', async (t) => {
  const { tenantId } = await shop({ credits: 10 });
  const spender = w.as(await w.account({ roles: 'CreditSpender' }));
  t.deepEqual((await spender.put(`${PATH}/spend`, { tenantId, credits: 4 })).body, { credits: 4 });
  t.is((await spender.get(`${PATH}/${tenantId}`)).status, 403);
  const unknown = { tenantId: '0198c0de-0000-7000-8000-000000000000', credits: 4 };
  t.is((await spender.put(`${PATH}/spend`, unknown)).status, 404);
});

test('the nil UUID, which is the key of the generic pool, is not a tenant: every route answers 404 to every role', async (t) => {
  const nil = '00000000-0000-0000-0000-000000000000';
  const { tenantId, owner } = await shop({ credits: 20, name: 'Nil' });
  const admin = await root();
  t.is((await admin.put(`${PATH}/move`, { credits: 10, sourceTenantId: tenantId })).status, 200);
  const { body: made } = await owner.post('/api/iam/key', { name: 'k', role: 'Owner' });
  const callers: [name: string, client: Client, headers?: Record<string, string>][] = [
    ['administrator', admin],
    ['Owner', owner],
    ['key', w.nobody, { 'svc-open-api-key': made.key }],
    ['no role', w.as(await w.account())],
  ];
  for (const roles of ['BackOffice', 'PlatformAdministrator', 'CreditSpender'])
    callers.push([roles, w.as(await w.account({ roles }))]);
  const requests: [method: 'GET' | 'POST' | 'PUT', path: string, body?: object][] = [
    ['POST', '', lotOf(nil, {})],
    ['PUT', '/reserve', { tenantId: nil, credits: 1, operationId: 'nil' }],
    ['PUT', '/spend', { tenantId: nil, credits: 1 }],
    ['PUT', '/release', { tenantId: nil, operationId: 'nil' }],
    ['PUT', '/move', { credits: 1, sourceTenantId: nil, targetTenantId: tenantId }],
    ['PUT', '/move', { credits: 1, sourceTenantId: tenantId, targetTenantId: nil }],
    ['PUT', '/move', { credits: 1, sourceTenantId: nil }],
    ['GET', `/${nil}`],
    ['GET', `/${nil}?at=2020-01-01`],
    ['GET', `/${nil}/forecast`],
    ['GET', `/${nil}/operation/nil`],
    ['POST', '/details', { tenantId: nil }],
    ['POST', '/details/extended', { tenantId: nil }],
  ];
  for (const [method, path, body] of requests)
    for (const [name, client, headers = {}] of callers) {
      const answer = await client.send({ method, url: `${PATH}${path}`, headers, ...(body && { payload: body }) });
      const title = `${name}: ${method} ${path} ${JSON.stringify(body)}`;
      t.like(answer.body, { status: 404, detail: `Tenant '${nil}' was not found.` }, title);
    }
  // an empty text is the generic pool
  const back = { credits: 1, sourceTenantId: '', targetTenantId: tenantId, billingReference: 'Nil' };
  t.deepEqual((await admin.put(`${PATH}/move`, back)).body, { credits: 1 });
});

test('amounts are positive, have six decimals and at most 999999999.999999; lots expire in the future', async (t) => {
  const { tenantId, put, reserve, balance } = await shop();
  for (const credits of [0, -1, 1e-7, 0.1234567, 1e9, '5'] as number[]) {
    t.is((await put({ credits })).status, 400, `${credits}`);
    t.is((await reserve(credits)).status, 400, `${credits}`);
  }
  const post = async (body: object) => (await seller()).post(PATH, body);
  const lot = lotOf(tenantId, {});
  for (const expiresAt of ['2020-01-01', 'tomorrow', '', inTime(-1000)])
    t.is((await post({ ...lot, expiresAt })).status, 400, expiresAt);
  t.is((await post({ ...lot, salesOrderId: ' ' })).status, 400);
  t.is((await post({ ...lot, billingReference: { ...reference('R'), billingReferenceType: '' } })).status, 400);
  t.is((await post({ ...lot, billingReference: { billingReference: 'R', billingReferenceType: 'EXT' } })).status, 200);
  for (let n = 0; n < 3; n++) await put({ credits: 0.1 });
  t.is((await balance()).Available, 100.3);
  const full = await put({ credits: 999_999_999.999999 });
  t.like(full.body, { status: 409, code: 'PoolFull' });
});

test('a breakdown has a row per status in fixed order; the filter ignores case and keeps statuses with zero', async (t) => {
  const { tenantId, owner } = await shop({ credits: 5 });
  const get = async (query: string) => (await owner.get(`${PATH}/${tenantId}${query}`)) as Answer;
  t.deepEqual((await get('')).body.data, [
    { status: 'Available', credits: 5 },
    { status: 'Reserved', credits: 0 },
    { status: 'Spent', credits: 0 },
    { status: 'Expired', credits: 0 },
  ]);
  t.deepEqual((await get('?filter=reserved&filter=AVAILABLE')).body.data, [
    { status: 'Available', credits: 5 },
    { status: 'Reserved', credits: 0 },
  ]);
  t.is((await get('?filter=Lost')).status, 400);
  t.deepEqual((await shop()).balance.length, 0);
});

test('credits are spent by earliest expiry, then by age', async (t) => {
  const { spend, details } = await shop(
    { credits: 10, expiresAt: LATER, salesOrderId: 'late' },
    { credits: 10, expiresAt: SOON, salesOrderId: 'first' },
    { credits: 10, expiresAt: SOON, salesOrderId: 'second' },
  );
  const left = async () =>
    (await details('details', '?filter=Available')).map((row) => [row.salesOrderId, row.credits]);
  t.deepEqual(await left(), [
    ['first', 10],
    ['second', 10],
    ['late', 10],
  ]);
  await spend(15);
  t.deepEqual(await left(), [
    ['second', 5],
    ['late', 10],
  ]);
  await spend(6);
  t.deepEqual(await left(), [['late', 9]]);
  const [row] = await details('details', '?filter=Available&limit=1');
  t.deepEqual(row, {
    status: 'Available',
    credits: 9,
    expiresAt: LATER,
    salesOrderId: 'late',
    billingReference: reference('R'),
  });
});

test('an operation spends from its reservation; the rest remains reserved until released', async (t) => {
  const { reserve, spend, release, balance, owner, tenantId } = await shop({ credits: 100 });
  t.deepEqual((await reserve(60, 'run 1')).body, { credits: 60, operationId: 'run 1' });
  t.regex((await reserve(1)).body.operationId, /^[0-9a-f-]{36}$/);
  t.deepEqual(await balance(), { Available: 39, Reserved: 61, Spent: 0, Expired: 0 });
  t.deepEqual((await spend(20, 'run 1')).body, { credits: 20 });
  const much = await spend(41, 'run 1');
  t.like(much.body, { status: 409, code: 'TooFewCredits', reserved: 40, available: 39 });
  t.like((await reserve(40)).body, { status: 409, code: 'TooFewCredits', available: 39 });
  t.is((await reserve(5, 'run 1')).status, 200);
  t.deepEqual((await release('run 1')).body, { credits: 45 });
  t.is((await release('run 1')).status, 404);
  t.is((await release('Run 1')).status, 404);
  t.deepEqual(await balance(), { Available: 79, Reserved: 1, Spent: 20, Expired: 0 });
  // an ended operation has no reservation: it spends available credits, or reserves again
  t.is((await spend(9, 'run 1')).status, 200);
  t.is((await reserve(10, 'run 1')).status, 200);
  t.deepEqual(await balance(), { Available: 60, Reserved: 11, Spent: 29, Expired: 0 });
  const { body } = await owner.get(`${PATH}/${tenantId}/operation/run%201`);
  t.deepEqual(
    body.data
      .filter((entry: { credits: number }) => entry.credits > 0)
      .map((e: Record<string, unknown>) => [e.kind, e.account, e.credits]),
    [
      ['Reserve', 'Reserved', 60],
      ['Spend', 'Spent', 20],
      ['Reserve', 'Reserved', 5],
      ['Release', 'Available', 40],
      ['Release', 'Available', 5],
      ['Spend', 'Spent', 9],
      ['Reserve', 'Reserved', 10],
    ],
  );
});

test('extended details of reserved and spent credits name project, operation, time and caller', async (t) => {
  const { tenantId, user, owner, use, details } = await shop({ credits: 100 });
  const { body: made } = await owner.post('/api/metadata/project', { name: 'Valley' });
  await use('reserve', { credits: 10, operationId: 'a', projectId: made.id });
  await use('spend', { credits: 4, operationId: 'a' });
  await use('spend', { credits: 1 });
  const rows = await details('details/extended');
  t.like(rows[0], { status: 'Available', credits: 89 });
  t.like(rows[1], { status: 'Reserved', credits: 6, operationId: 'a', projectId: made.id, projectName: 'Valley' });
  t.like(rows[2], { status: 'Spent', credits: 4, operationId: 'a', projectName: 'Valley' });
  t.like(rows[3], { status: 'Spent', credits: 1 });
  t.false('operationId' in (rows[3] ?? {}));
  for (const row of rows) t.regex(String(row.createdAt), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{7}$/);
  const scope = { pool: tenantId, statuses: STATUSES };
  const parts = [];
  const tenants = [{ id: tenantId, role: 'Owner' as const }];
  const nothing = { groups: [], roles: [], scopes: [], address: '127.0.0.1', requestId: '1' };
  const caller = {
    userId: user.userId,
    accountId: user.id,
    foldedId: user.id,
    tenants,
    via: 'token' as const,
    ...nothing,
  };
  for await (const part of inParts((each) => listExtendedDetails(w.db, caller, scope, each), {}, 1)) parts.push(part);
  t.is(parts.length, rows.length + 1);
  t.deepEqual(parts.flat() as object[], rows);
  t.deepEqual(JSON.parse((await Array.fromAsync(listText(Readable.from(parts)))).join('')), { data: rows });
  t.is((await Array.fromAsync(listText(Readable.from([[]])))).join(''), '{"data":[]}');
  const elsewhere = await shop();
  const foreign = await elsewhere.owner.post('/api/metadata/project', { name: 'Delta' });
  t.is((await use('reserve', { credits: 1, projectId: foreign.body.id })).status, 404);
  await owner.delete(`/api/project/${made.id}`);
  t.is((await use('reserve', { credits: 1, projectId: made.id })).status, 404);
  t.is((await owner.get(`${PATH}/${tenantId}/operation/none`)).status, 404);
});

test('names of projects and of who used the credits follow visibility: ids and amounts stay', async (t) => {
  const { tenantId, user, owner, use, details } = await shop({ credits: 100 });
  const { body: made } = await owner.post('/api/metadata/project', { name: 'Secret valley' });
  await use('reserve', { credits: 10, operationId: 'a', projectId: made.id });
  await use('spend', { credits: 4, operationId: 'a' });
  await use('spend', { credits: 1, operationId: 'b' });
  const member = await w.account({ tenantId });
  const read = async (client: Client) => ({
    rows: (await client.post(`${PATH}/details/extended`, { tenantId })).body.data,
    entries: (await client.get(`${PATH}/${tenantId}/operation/a`)).body.data,
  });
  const { rows, entries } = await read(w.as(member));
  const visible = await read(owner);
  t.deepEqual(
    rows,
    visible.rows.map(({ projectName: _, createdBy, ...row }: Record<string, unknown>) =>
      row.projectId === undefined ? { ...row, createdBy } : row,
    ),
  );
  t.true(entries.every((entry: object) => !('createdBy' in entry) && 'projectId' in entry));
  t.true(visible.entries.every((entry: { createdBy?: string }) => entry.createdBy === user.userId));
  t.true(visible.rows.some((row: { projectName?: string }) => row.projectName === 'Secret valley'));
  await owner.post(`/api/metadata/project/${made.id}/member`, { userId: member.userId, role: 'Reader' });
  t.deepEqual(await read(w.as(member)), visible);
  // the project is gone: its Owners may still learn who spent their credits
  await owner.delete(`/api/project/${made.id}`);
  t.is((await owner.delete(`/api/recycle-bin/project/${made.id}`)).status, 204);
  t.true((await details('details/extended')).every((row) => !('projectName' in row) && 'createdBy' in row));
  t.false((await read(w.as(member))).rows.some((row: object) => 'projectId' in row && 'createdBy' in row));
});

test('details of more than 1 MiB are answered with an Idempotency-Key, too', async (t) => {
  const { tenantId, owner } = await shop();
  const name = `Long ${'r'.repeat(240)}`;
  const lots = 1200;
  await w.sql(
    `select count(*) from generate_series(1, $5) n,
       credit_add($1, 1, '2998-01-01', '2998-01-01', $2 || n, $3, $4, '', null, null, false)`,
    [tenantId, 's'.repeat(250), name, 't'.repeat(255), lots],
  );
  const send = async (client: Client, kind: string, body: object) => {
    const answer = await client.post(`${PATH}/${kind}`, body, { 'idempotency-key': `long ${kind}` });
    t.is(answer.status, 200, kind);
    t.is(answer.body.data.length, lots, kind);
    t.true(answer.raw.length > 2 ** 20, kind);
  };
  // a repeated one reads anew
  for (let n = 0; n < 2; n++) for (const kind of ['details', 'details/extended']) await send(owner, kind, { tenantId });
  const admin = await root();
  t.is((await admin.put(`${PATH}/move`, { credits: lots, sourceTenantId: tenantId })).status, 200);
  await send(admin, 'unassigned/details', { billingReference: name });
});

test('details are read from an offset on, with or without a limit', async (t) => {
  const { tenantId, owner, details, spend } = await shop();
  const lots = [11, 12, 13, 14].map((credits) => lotOf(tenantId, { credits, name: `Offset ${tenantId}` }));
  for (const lot of lots) await (await seller()).post(PATH, lot);
  await spend(3);
  const amounts = (rows: Record<string, unknown>[]) => rows.map(({ credits }) => credits);
  for (const kind of ['details', 'details/extended']) {
    t.deepEqual(amounts(await details(kind)), [8, 12, 13, 14, 3]);
    t.deepEqual(amounts(await details(kind, '?offset=1')), [12, 13, 14, 3]);
    t.deepEqual(amounts(await details(kind, '?Offset=1&limit=2')), [12, 13]);
    t.deepEqual(amounts(await details(kind, `?offset=2&at=${inTime(-1)}&filter=Available`)), [13, 14]);
    for (const end of [5, Number.MAX_SAFE_INTEGER]) t.deepEqual(await details(kind, `?offset=${end}`), []);
    for (const wrong of ['offset=-1', 'offset=x', 'offset=1&offset=2', 'offset=1.5']) {
      const { status, body } = await owner.post(`${PATH}/${kind}?${wrong}`, { tenantId });
      t.is(status, 400, wrong);
      t.deepEqual(Object.keys(body.errors), ['offset']);
    }
  }
  const admin = await root();
  t.is((await admin.put(`${PATH}/move`, { credits: 47, sourceTenantId: tenantId })).status, 200);
  const generic = await admin.post(`${PATH}/unassigned/details?offset=2`, { billingReference: `Offset ${tenantId}` });
  t.deepEqual(amounts(generic.body.data), [13, 14]);
});

test('extended details of available credits name the user who added or later released them', async (t) => {
  const { tenantId, owner, reserve, details } = await shop({ credits: 10 });
  const { userId: releaser } = await w.account({ tenantId, role: 'Owner' });
  await reserve(4, 'op');
  await sleep(2);
  const before = inTime(0);
  await sleep(2);
  const available = async (query: string) => (await details('details/extended', `?filter=Available${query}`))[0] ?? {};
  const added = await available('');
  t.is(added.createdBy, (await sellerMade)?.userId);
  t.is((await w.as({ userId: releaser }).put(`${PATH}/release`, { tenantId, operationId: 'op' })).status, 200);
  const { body } = await owner.get(`${PATH}/${tenantId}/operation/op`);
  const release = body.data.at(-1);
  t.like(release, { kind: 'Release', account: 'Available', createdBy: releaser });
  t.like(await available(''), { credits: 10, createdBy: releaser, createdAt: release.createdAt });
  t.deepEqual(await available(`&at=${before}`), added);
  // spending by another operation does not change the user who added the credits
  await reserve(1, 'next');
  t.like(await available(''), { credits: 9, createdBy: releaser, createdAt: release.createdAt });
});

test.serial('an expired lot cannot be used; reserved credits do not expire until they are released', async (t) => {
  async function scene(milliseconds: number) {
    const made = await shop({ credits: 7 });
    const expiresAt = inTime(milliseconds);
    await made.put({ credits: 50, expiresAt });
    const held = await made.reserve(20, 'held');
    const [soon] = await made.details('details', '?filter=Available');
    // a time has whole milliseconds; credits reserved in that millisecond may be later
    await sleep(2);
    return { ...made, expiresAt, held, soon, before: inTime(0) };
  }
  let made = await scene(1500);
  // on a busy machine the credits may expire before all is done
  for (let time = 3000; made.before >= made.expiresAt; time *= 2) made = await scene(time);
  const { tenantId, reserve, spend, release, balance, details, expiresAt, held, soon, before } = made;
  t.is(held.status, 200);
  t.is(soon?.expiresAt, expiresAt);
  await sleep(until(expiresAt));
  t.deepEqual(await balance(), { Available: 7, Reserved: 20, Spent: 0, Expired: 30 });
  t.like((await reserve(8)).body, { code: 'TooFewCredits', available: 7 });
  t.deepEqual(await balance(`?at=${before}`), { Available: 37, Reserved: 20, Spent: 0, Expired: 0 });
  t.deepEqual(await balance(`?at=${expiresAt}`), { Available: 7, Reserved: 20, Spent: 0, Expired: 30 });
  t.like(await details('details/extended', '?filter=Expired'), [{ credits: 30 }]);

  const dry = await (await root()).post(`${PATH}/expire?dryRun=true`);
  t.true(dry.body.credits >= 30);
  t.is((await (await root()).post(`${PATH}/expire`)).status, 200);
  t.deepEqual(await balance(), { Available: 7, Reserved: 20, Spent: 0, Expired: 30 });
  t.is((await spend(5, 'held')).status, 200);
  t.deepEqual((await release('held')).body, { credits: 15 });
  t.deepEqual(await balance(), { Available: 7, Reserved: 0, Spent: 5, Expired: 45 });
  const bookings = await eventsOf('creditsexpired', tenantId);
  t.deepEqual(
    bookings.map((data) => data.Credits),
    [30, 15],
  );
  t.like(bookings[0], { CustomerGuid: tenantId, ExpiresAt: expiresAt, SalesOrderId: 'SO' });
  t.like(await verified(), { valid: true });
});

test.serial(
  'the expiry job books expired credits per pool despite a failing pool, and warns once 30, 14 and 3 days ahead',
  async (t) => {
    const days = (n: number) => inTime(n * 86_400_000 - 60_000);
    const [broken, fine, warned] = [await shop(), await shop(), await shop({ credits: 3, expiresAt: days(30) })];
    await warned.put({ credits: 4, expiresAt: days(14) });
    await warned.put({ credits: 5, expiresAt: days(31) });
    await w.sql(
      `create function stop_booking() returns trigger language plpgsql as $$ begin raise exception 'it holds on'; end $$`,
    );
    let soon = '';
    for (const { put } of [broken, fine]) soon = await putSoon(put, 900);
    await w.sql(
      `create trigger stop_booking before update on credit_pools for each row when (old.id = '${broken.tenantId}') execute function stop_booking()`,
    );
    await sleep(until(soon));
    const failed: (string | undefined)[] = [];
    const run: MaintenanceRun = {
      attempt: (_part, work, item) =>
        work().then(
          () => true,
          () => failed.push(item) < 0,
        ),
    };
    for (let n = 0; n < 2; n++) await bookExpiredCredits(w.db, run);
    t.deepEqual(failed, [broken.tenantId, broken.tenantId]);
    t.deepEqual(
      (await eventsOf('creditsexpired', fine.tenantId)).map((data) => data.Credits),
      [5],
    );
    t.deepEqual(
      (await eventsOf('creditsexpiring', warned.tenantId)).map(({ Credits, Days }) => [Credits, Days]),
      [
        [4, 14],
        [3, 30],
      ],
    );
    await w.sql('drop trigger stop_booking on credit_pools; drop function stop_booking');
    await bookExpiredCredits(w.db, run);
    t.is((await eventsOf('creditsexpired', broken.tenantId)).length, 1);
    t.deepEqual([await broken.balance(), failed.length], [{ Available: 0, Reserved: 0, Spent: 0, Expired: 5 }, 2]);
  },
);

test.serial('a reservation is refused if the credits expire while it waits or before it commits', async (t) => {
  const { tenantId, put, reserve, balance } = await shop();
  const expiresAt = await putSoon(put, 1000);
  const holder = new pg.Client({ connectionString: w.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from credit_pools where id = $1 for update', [tenantId]);
  const waiting = reserve(5);
  const late = w.db.transaction(async (tx) => {
    await sleep(until(expiresAt));
    await holder.query('commit');
    await waiting;
    return reserveCredits(tx, { tenantId, credits: 5, operationId: 'x' }, { dryRun: false, actor: {} });
  });
  t.like((await waiting).body, { status: 409, code: 'TooFewCredits', available: 0 });
  t.is((await late).refusal, 'TooFewCredits');
  await holder.end();

  async function reservedThenExpired() {
    const other = await shop();
    const soon = await putSoon(other.put, 700);
    const answers: { refusal: string | undefined; inTime: boolean }[] = [];
    const [end] = await Promise.allSettled([
      w.db.transaction(async (tx) => {
        const use = { tenantId: other.tenantId, credits: 5, operationId: 'x' };
        const { refusal } = await reserveCredits(tx, use, { dryRun: false, actor: {} });
        answers.push({ refusal, inTime: Date.now() < Date.parse(soon) });
        await sleep(until(soon));
      }),
    ]);
    return { other, answers, end };
  }
  let tried = await reservedThenExpired();
  // on a busy machine the credits may expire before the reservation
  while (tried.answers.some(({ inTime }) => !inTime)) tried = await reservedThenExpired();
  const { other, answers, end } = tried;
  t.deepEqual(answers, [{ refusal: undefined, inTime: true }]);
  t.true(end.status === 'rejected' && end.reason instanceof Error);
  for (const { Expired, Reserved } of [await balance(), await other.balance()])
    t.deepEqual([Expired, Reserved], [5, 0]);
});

test('operations wait for a running operation in their pool, and see its changes', async (t) => {
  const change = { dryRun: false, actor: {} };
  const { tenantId, reserve, balance } = await shop({ credits: 100 });
  for (const operationId of ['a', 'b']) await reserve(10, operationId);
  const use = (credits: number, operationId: string) => ({ tenantId, credits, operationId });
  const first = new pg.Client({ connectionString: w.url });
  await first.connect();
  await first.query('begin');
  await first.query(`select credit_release('${tenantId}', 'a', null, null, false)`);
  await first.query(`select credit_spend('${tenantId}', 10, 'b', null, null, null, false)`);
  await first.query(`select credit_reserve('${tenantId}', 85, 'c', null, null, null, false)`);
  const waiting = [
    w.db.transaction((tx) => releaseCredits(tx, tenantId, 'a', change)),
    w.db.transaction((tx) => releaseCredits(tx, tenantId, 'b', change)),
    w.db.transaction((tx) => spendCredits(tx, use(86, 'c'), change)),
    w.db.transaction((tx) => spendCredits(tx, use(6, 'a'), change)),
    w.db.transaction((tx) => reserveCredits(tx, use(6, 'd'), change)),
  ];
  for (const each of waiting) each.catch(() => {});
  await sleep(300);
  await first.query('commit');
  await first.end();
  t.deepEqual(
    (await Promise.all(waiting)).map(({ refusal }) => refusal),
    ['NothingHeld', 'NothingHeld', 'TooFewCredits', 'TooFewCredits', 'TooFewCredits'],
  );
  t.deepEqual(await balance(), { Available: 5, Reserved: 85, Spent: 10, Expired: 0 });
});

test('moved credits keep expiry, sales order and reference; both tenants need the same billing reference', async (t) => {
  const a = await shop({ credits: 10, name: 'Common', expiresAt: SOON }, { credits: 10, name: 'Own' });
  const b = await shop();
  const admin = await root();
  const move = (body: object) => admin.put(`${PATH}/move`, body);
  const ends = { sourceTenantId: a.tenantId, targetTenantId: b.tenantId };
  t.like((await move({ credits: 1, ...ends })).body, { status: 409, code: 'NoCommonBillingReference' });
  t.is((await move({ credits: 1 })).status, 400);
  t.is((await move({ credits: 1, sourceTenantId: '', targetTenantId: '' })).status, 400);
  t.is((await move({ credits: 1, sourceTenantId: a.tenantId, targetTenantId: a.tenantId })).status, 400);
  t.is((await a.owner.put(`${PATH}/move`, { credits: 1, ...ends })).status, 404);

  const narrow = { billingReference: 'Common', billingReferenceType: 'EXT' };
  t.like((await move({ credits: 11, sourceTenantId: a.tenantId, ...narrow })).body, {
    code: 'TooFewCredits',
    available: 10,
  });
  t.deepEqual((await move({ credits: 4, sourceTenantId: a.tenantId, targetTenantId: '', ...narrow })).body, {
    credits: 4,
  });
  const pool = async (path: string, body = {}) =>
    (await admin.post(`${PATH}/unassigned${path}?filter=Available`, body)).body.data;
  const inPool = await pool('/details', narrow);
  t.like(inPool, [{ credits: 4, expiresAt: SOON, salesOrderId: 'SO', billingReference: reference('Common') }]);
  t.deepEqual((await move({ credits: 4, targetTenantId: b.tenantId, ...narrow })).body, { credits: 4 });
  t.deepEqual(await pool('', narrow), [{ status: 'Available', credits: 0 }]);
  t.like(await b.details(), [{ credits: 4, expiresAt: SOON, billingReference: reference('Common') }]);
  const instants = await w.sql('select expires_at from credit_lots where pool_id = any($1) and expires_text = $2', [
    [a.tenantId, b.tenantId, '00000000-0000-0000-0000-000000000000'],
    SOON,
  ]);
  t.is(new Set(instants.map(({ expires_at }) => String(expires_at))).size, 1);

  // now both have used the reference; credits with a different reference do not move
  t.like((await move({ credits: 7, ...ends })).body, { code: 'TooFewCredits', available: 6 });
  t.deepEqual((await move({ credits: 6, ...ends })).body, { credits: 6 });
  t.deepEqual(
    [await a.balance('?filter=Available'), await b.balance('?filter=Available')],
    [{ Available: 10 }, { Available: 10 }],
  );
  // an Owner of both moves without being an administrator
  const both = await w.account({ tenantId: a.tenantId, role: 'Owner' });
  await admin.post(`/api/iam/tenant/${b.tenantId}/member`, { userId: both.userId, role: 'Owner' });
  const back = { credits: 1, sourceTenantId: b.tenantId, targetTenantId: a.tenantId };
  t.is((await w.as(both).put(`${PATH}/move`, back, { 'svc-tenant-id': a.tenantId })).status, 200);
  t.like(await verified(), { valid: true });
});

test('concurrent moves in opposite directions do not deadlock', async (t) => {
  const [a, b] = [await shop({ credits: 50, name: 'X' }), await shop({ credits: 50, name: 'X' })];
  const admin = await root();
  const ends = [
    { sourceTenantId: a.tenantId, targetTenantId: b.tenantId },
    { sourceTenantId: b.tenantId, targetTenantId: a.tenantId },
  ];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => admin.put(`${PATH}/move`, { credits: 1, ...ends[n % 2] })),
  );
  t.true(answers.every(({ status }) => status === 200));
  t.is((await a.balance()).Available, 50);
});

test('a move locks the pool with the lower id first, whichever it takes from', async (t) => {
  const pools = [await shop({ credits: 50, name: 'X' }), await shop({ credits: 50, name: 'X' })];
  const [low = '', high = ''] = pools.map(({ tenantId }) => tenantId).sort();
  const admin = await root();
  for (const [sourceTenantId, targetTenantId] of [
    [low, high],
    [high, low],
  ]) {
    const holder = new pg.Client({ connectionString: w.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from credit_pools where id = $1 for update', [low]);
    const moving = admin.put(`${PATH}/move`, { credits: 1, sourceTenantId, targetTenantId });
    const waits = `select from pg_locks l join pg_stat_activity a using (pid) where not granted and datname = current_database()
      and query like '%credit_move%'`;
    while ((await w.sql(waits)).length === 0) await sleep(10);
    await t.notThrowsAsync(w.sql('select from credit_pools where id = $1 for update nowait', [high]));
    await holder.query('commit');
    await holder.end();
    t.is((await moving).status, 200);
  }
});

test('a dry run makes the same checks, gives the same response and writes nothing', async (t) => {
  const { tenantId, use, reserve, balance, put } = await shop({ credits: 10 });
  await reserve(4, 'r');
  const before = [await balance(), await w.sql('select last_seq from credit_pools where id = $1', [tenantId])];
  const dry = '?dryRun=true';
  const add = await (await seller()).post(`${PATH}${dry}`, lotOf(tenantId, { credits: 5 }));
  t.deepEqual(add.body, { credits: 11 });
  t.deepEqual((await use('reserve', { credits: 6, operationId: 'n' }, dry)).body, { credits: 6, operationId: 'n' });
  t.is((await use('reserve', { credits: 6.000001 }, dry)).status, 409);
  t.deepEqual((await use('spend', { credits: 4, operationId: 'r' }, dry)).body, { credits: 4 });
  t.is((await use('spend', { credits: 5, operationId: 'r' }, dry)).status, 409);
  t.deepEqual((await use('release', { operationId: 'r' }, dry)).body, { credits: 4 });
  const move = await (await root()).put(`${PATH}/move${dry}`, { credits: 6, sourceTenantId: tenantId });
  t.deepEqual(move.body, { credits: 6 });
  t.deepEqual([await balance(), await w.sql('select last_seq from credit_pools where id = $1', [tenantId])], before);
  t.is((await put({ credits: 1 })).status, 200);
});

test('a balance at a past time counts credits that were committed by then; a future time is 400', async (t) => {
  const { balance, reserve, spend, owner, tenantId, details } = await shop({ credits: 10 });
  const times: string[] = [];
  for (const step of [() => {}, () => reserve(4, 'op'), () => spend(3, 'op')]) {
    await step();
    // a time has whole milliseconds; credits committed in that millisecond may be earlier or later
    await sleep(2);
    times.push(inTime(0));
    await sleep(2);
  }
  const at = async (n: number) => balance(`?at=${times[n]}`);
  t.deepEqual(await at(0), { Available: 10, Reserved: 0, Spent: 0, Expired: 0 });
  t.deepEqual(await at(1), { Available: 6, Reserved: 4, Spent: 0, Expired: 0 });
  t.deepEqual(await at(2), { Available: 6, Reserved: 1, Spent: 3, Expired: 0 });
  t.deepEqual(await balance('?at=2020-01-01'), { Available: 0, Reserved: 0, Spent: 0, Expired: 0 });
  t.like(await details('details/extended', `?at=${times[1]}&filter=Reserved`), [{ credits: 4, operationId: 'op' }]);
  t.is((await owner.get(`${PATH}/${tenantId}?at=2999-01-01`)).status, 400);
});

/** `CREDIT_ROUNDS=200` for more of them. */
const ROUNDS = Number(process.env.CREDIT_ROUNDS ?? 4);

test('of 20 concurrent reservations of 75 on a balance of 500, exactly 6 succeed', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { reserve, balance } = await shop({ credits: 200 }, { credits: 300, expiresAt: SOON });
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(75)));
    t.is(answers.filter(({ status }) => status === 200).length, 6);
    t.is(answers.filter(({ status, body }) => status === 409 && body.available === 50).length, 14);
    t.deepEqual(await balance(), { Available: 50, Reserved: 450, Spent: 0, Expired: 0 });
  }
});

test('100 concurrent requests with the same Idempotency-Key have one effect', async (t) => {
  const { use, balance } = await shop({ credits: 500 });
  const send = () => use('reserve', { credits: 7, operationId: 'once' }, '', { 'idempotency-key': 'the key' });
  const answers = await Promise.all(Array.from({ length: 100 }, send));
  const statuses = new Set(answers.map(({ status }) => status));
  t.true(statuses.has(200));
  t.deepEqual(
    [...statuses].filter((status) => status !== 200 && status !== 409),
    [],
  );
  t.is((await send()).headers['idempotent-replayed'], 'true');
  t.deepEqual(await balance(), { Available: 493, Reserved: 7, Spent: 0, Expired: 0 });
});

test('the ledger is append-only: the database refuses updates, deletes and entries that do not sum to zero', async (t) => {
  await shop({ credits: 5 });
  for (const table of ['credit_entries', 'credit_commits']) {
    await t.throwsAsync(w.sql(`delete from ${table}`), { message: /only grows/ });
    await t.throwsAsync(w.sql(`update ${table} set seq = seq`), { message: /only grows/ });
    await t.throwsAsync(w.sql(`truncate ${table}`), { message: /only grows/ });
    const rights = await w.sql<{ privilege_type: string }>(
      `select privilege_type from pg_class, aclexplode(relacl) where relname = $1 order by 1`,
      [table],
    );
    const names = rights.map((row) => row.privilege_type);
    for (const right of ['UPDATE', 'DELETE', 'TRUNCATE']) t.false(names.includes(right), `${table} ${right}`);
    t.true(names.includes('INSERT'));
  }
  await t.throwsAsync(w.sql('update credit_lots set amount = 6, available = 6'), { message: /only grows/ });
  await t.throwsAsync(w.sql('update credit_lots set available = -1'), { message: /check/ });
  await t.throwsAsync(w.sql('update credit_lots set available = 0'), { message: /check/ });
  await t.throwsAsync(
    w.sql(`insert into credit_entries select pool_id, seq + 1000000, 0, kind, account, amount, lot_id, hold_id, operation_id, project_id,
      created_at, created_by, request_id, hash from credit_entries limit 1`),
    { message: /sum to zero/ },
  );
});

test('the database refuses entries of a lot of another pool, of a hold of another lot, and reserved ones without a hold', async (t) => {
  const [here, there] = [await shop({ credits: 5 }), await shop({ credits: 5 })];
  await here.reserve(1, 'a');
  await there.reserve(1, 'b');
  const posted = (lotOf: string, holdOf: string | null, account = 'Reserved') =>
    w.sql(
      `insert into credit_entries select $1::uuid, 1000000 + n, 0, 'Spend', $4, n, (select id from credit_lots where pool_id = $2::uuid),
        (select id from credit_holds where pool_id = $3::uuid), 'a', null, now(), null, null, sha256('') from (values (-1), (1)) v (n)`,
      [here.tenantId, lotOf, holdOf, account],
    );
  const refused = { message: /a lot of another pool, a hold of another lot, or no hold/ };
  await t.throwsAsync(posted(there.tenantId, null, 'Spent'), refused);
  await t.throwsAsync(posted(there.tenantId, there.tenantId), refused);
  await t.throwsAsync(posted(here.tenantId, there.tenantId), refused);
  await t.throwsAsync(posted(here.tenantId, null), refused);
});

test.serial('verify finds a changed entry, a missing end and a lot that differs from its entries', async (t) => {
  const { tenantId, spend } = await shop({ credits: 5 });
  await spend(2);
  t.like(await verified(), { valid: true });
  /** As somebody with all rights on the database. Undone after the check. */
  const forged = async (forgery: string) => {
    await w.sql('alter table credit_entries disable trigger user; alter table credit_lots disable trigger user');
    const undo = (await w.sql(forgery, [tenantId])) as { undo: string }[];
    const found = await verified();
    await w.sql(undo[0]?.undo ?? '');
    await w.sql('alter table credit_entries enable trigger user; alter table credit_lots enable trigger user');
    return found;
  };
  const changed = await forged(`update credit_entries set operation_id = 'other' where pool_id = $1 and seq = 3
    returning format('update credit_entries set operation_id = null where pool_id = %L and seq = 3', pool_id) as undo`);
  t.like(changed, { valid: false, wrong: { tenantId, seq: 3 } });
  // right in itself, but not what the next one was written after
  const first = await forged(`update credit_entries e set operation_id = 'other',
    hash = credit_hash('', jsonb_populate_record(e, '{"operation_id": "other"}')) where pool_id = $1 and seq = 1
    returning format('update credit_entries set operation_id = null, hash = %L where pool_id = %L and seq = 1', old.hash, old.pool_id) as undo`);
  t.like(first, { valid: false, wrong: { tenantId, seq: 2 } });
  const moved = await forged(`update credit_lots l set pool_id = o.id from credit_pools o
    where l.pool_id = $1 and o.id = '00000000-0000-0000-0000-000000000000'
    returning format('update credit_lots set pool_id = %L where id = %s', old.pool_id, l.id) as undo`);
  t.like(moved, { valid: false });
  const terms = await forged(`update credit_lots set sales_order_id = 'free' where pool_id = $1
    returning format('update credit_lots set sales_order_id = %L where id = %s', 'SO', id) as undo`);
  t.like(terms, { valid: false, wrong: { tenantId, seq: 2 } });
  const parts = await forged(`update credit_lots set spent = 1, available = 4 where pool_id = $1
    returning format('update credit_lots set spent = 2, available = 3 where id = %s', id) as undo`);
  t.like(parts, {
    valid: false,
    wrong: { tenantId, reason: 'The parts of the lot differ from the sums of its entries.' },
  });
  // the pool of the younger tenant is checked later
  const younger = await shop({ credits: 1 });
  const elsewhere = await forged(`update credit_lots set pool_id = '${younger.tenantId}' where pool_id = $1
    returning format('update credit_lots set pool_id = %L where id = %s', old.pool_id, id) as undo`);
  t.like(elsewhere, {
    valid: false,
    wrong: { tenantId, reason: 'The entry has a lot of another pool, or a hold of another lot.' },
  });
  const shorter = await forged(`update credit_pools set last_seq = 3 where id = $1
    returning format('update credit_pools set last_seq = 4 where id = %L', id) as undo`);
  t.like(shorter, { valid: false, wrong: { tenantId } });
  t.like(await verified(), { valid: true });
});

test.serial('the first credits of a pool that are added during an operation are not used by it', async (t) => {
  const change = { dryRun: false, actor: {} };
  for (const use of [reserveCredits, spendCredits]) {
    const { tenantId } = await shop();
    const adder = new pg.Client({ connectionString: w.url });
    await adder.connect();
    await adder.query('begin; lock table credit_lots in access exclusive mode');
    const operation = w.db.transaction((tx) => use(tx, { tenantId, credits: 1, operationId: 'x' }, change));
    let over = false;
    const end = () => {
      over = true;
    };
    void operation.then(end, end);
    // without a pool there is nothing to look for
    const waits = `select from pg_locks l join pg_stat_activity a using (pid)
      where not granted and datname = current_database() and query ~ 'credit_(reserve|spend)'`;
    while (!over && (await w.sql(waits)).length === 0) await sleep(10);
    await adder.query(
      `select credit_add('${tenantId}', 10, '2999-12-31', '2999-12-31', 'S', 'R', 'EXT', '', null, null, false); commit`,
    );
    await adder.end();
    t.like(await operation, { refusal: 'TooFewCredits', available: 0 });
    t.is(
      (await w.db.transaction((tx) => use(tx, { tenantId, credits: 1, operationId: 'x' }, change))).refusal,
      undefined,
    );
  }
  t.like(await verified(), { valid: true });
});

test('a tenant with credits cannot be deleted; after deletion its ledger remains', async (t) => {
  const { tenantId, spend } = await shop({ credits: 5 });
  const admin = await root();
  t.like((await admin.delete(`/api/iam/tenant/${tenantId}`)).body, { status: 409, code: 'TenantNotEmpty' });
  await spend(5);
  t.is((await admin.delete(`/api/iam/tenant/${tenantId}`)).status, 204);
  t.like((await admin.get(`${PATH}/${tenantId}?filter=Spent`)).body.data, [{ credits: 5 }]);
  t.is((await (await seller()).post(PATH, lotOf(tenantId, {}))).status, 404);
});

test('the forecast extrapolates recent spending, earliest expiry first', async (t) => {
  const { tenantId, owner, spend } = await shop({ credits: 100, expiresAt: SOON });
  await spend(40);
  const { body } = await owner.get(`${PATH}/${tenantId}/forecast?days=10`);
  t.like(body, { available: 60, spentPerDay: 4, expiring: [{ expiresAt: SOON, credits: 60, unspent: 0 }] });
  t.true(Math.abs(Date.parse(`${body.lastsUntil.slice(0, 23)}Z`) - Date.now() - 15 * 86_400_000) < 60_000);

  const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.0000000`;
  const lots = [
    { expiresAt: 'a', instant: day(11), credits: 30 },
    { expiresAt: 'b', instant: day(21), credits: 8 },
  ];
  t.deepEqual(project(lots, 2, new Date('2026-01-01T00:00:00Z')), {
    available: 38,
    spentPerDay: 2,
    lastsUntil: day(15),
    expiring: [
      { expiresAt: 'a', credits: 30, unspent: 10 },
      { expiresAt: 'b', credits: 8, unspent: 0 },
    ],
  });
  t.like(project(lots, 0, new Date('2026-01-01T00:00:00Z')), {
    expiring: [{ unspent: 30 }, { unspent: 8 }],
    lastsUntil: day(21),
  });
});

test('an operation with an Idempotency-Key is written in the transaction of the key', async (t) => {
  const { tenantId, balance } = await shop({ credits: 5 });
  const lazy = w.db.lazyTransaction();
  const change = { dryRun: false, actor: {} };
  const { refusal } = await w.db.within(lazy, () =>
    w.db.transaction((tx) => reserveCredits(tx, { tenantId, credits: 5, operationId: 'x' }, change)),
  );
  t.is(refusal, undefined);
  await lazy.rollBack();
  t.is((await balance()).Available, 5);
});
