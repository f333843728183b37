import test from 'ava';
import pg from 'pg';
import { computePrice } from '../../src/credits/prices.ts';
import { until } from '../world/hooks.ts';
import { carryScene } from '../world/move-copy.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test, { 'credits.prices': 'AsciiGridReader=1,GeoTiffWriter=2,FileWriter=0.5,memoryGbHour=3' });
const worker = switchedWorker(w);
/** A copy of a file: FileWriter, and 4 GB for the time limit of two hours. */
const COPY = 0.5 + 4 * 3 * 2;

/** A tenant with credits, its Owner and a project. */
async function scene(credits: number) {
  const tenantId = await w.tenant();
  const owner = w.as(await w.account({ tenantId, role: 'Owner' }));
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const billingReference = { billingReference: 'R', billingReferenceType: 'EXT' };
  const lot = { tenantId, credits, expiresAt: '2999-12-31', salesOrderId: 'S', billingReference };
  await seller.post('/api/iam/credit', lot);
  const projectId = await newProject(owner);
  const parts = async () => {
    const { body } = await owner.get(`/api/iam/credit/${tenantId}`);
    return body.data.map((row: { credits: number }) => row.credits) as number[];
  };
  const request = async (more: object = {}, content = ASCII_GRID) =>
    copyRequest(projectId, await upload(w, owner, content), more);
  return { tenantId, owner, projectId, parts, request };
}
const GRID = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };

test('the price is that of reader, writer and memory for the time limit, at most maxCredits', (t) => {
  const prices = { AsciiGridReader: 1, geotiffwriter: 2, memoryGbHour: 3 };
  const of = (more: object) => computePrice(prices, { ...GRID, memoryMb: 2048, timeLimit: 7_200_000, ...more });
  t.deepEqual(of({}), { fixed: 3, perHour: 6, reserved: 15 });
  t.deepEqual(of({ maxCredits: 20 }), of({}));
  t.deepEqual(of({ maxCredits: 6 }), { fixed: 3, perHour: 6, reserved: 6, maxCredits: 6, timeLimitMs: 1_800_000 });
  t.throws(() => of({ maxCredits: 2.9 }), { message: 'maxCredits is 2.9, but reader and writer cost 3.' });
  t.is(computePrice({}, { ...GRID, memoryMb: 1024, timeLimit: 1, maxCredits: 1 }), undefined);
});

test.serial('a start reserves its price; a dry run returns the price; too few credits refuse the start', async (t) => {
  const { owner, tenantId, projectId, parts, request } = await scene(30);
  const dry = await owner.post('/api/conversion/upload-convert?dryRun=true', await request());
  t.like(dry.body, { valid: true, credits: COPY });
  t.deepEqual(await parts(), [30, 0, 0, 0]);
  const started = await start(owner, await request());
  t.is(started.status, 200);
  t.deepEqual(await parts(), [30 - COPY, COPY, 0, 0]);
  const { body: rows } = await owner.post('/api/iam/credit/details/extended?filter=Reserved', { tenantId });
  t.like(rows.data, [{ credits: COPY, projectId, projectName: 'River', operationId: started.body.id }]);

  const few = await start(owner, await request());
  t.like(few.body, { status: 409, code: 'TooFewCredits', available: 30 - COPY });
  t.is((await w.sql('select from transfers where tenant_id = $1', [tenantId])).length, 1);
  t.is((await start(owner, await request({ maxCredits: 0.4 }))).status, 400);
  t.is((await start(owner, await request({ maxCredits: 0 }))).status, 400);
  t.is((await start(owner, await request({ maxCredits: 5 }))).status, 200);

  // other operations cannot release or spend the reservation of a transfer before its end
  for (const [verb, more] of [
    ['release', {}],
    ['spend', { credits: 1 }],
  ] as const) {
    const answer = await owner.put(`/api/iam/credit/${verb}`, { tenantId, operationId: started.body.id, ...more });
    t.like(answer.body, { status: 409, code: 'TransferNotEnded' });
  }
  await owner.post(`/api/conversion/transfer/${started.body.id}/cancel`);
  t.deepEqual(await parts(), [25, 5, 0, 0]);
  await owner.delete(`/api/project/${projectId}`);
  t.deepEqual(await parts(), [30, 0, 0, 0]);
  t.is((await owner.put('/api/iam/credit/release', { tenantId, operationId: started.body.id })).status, 404);
});

test.serial('20 concurrent starts that cost 24.5 of 100 credits: four start and the others get 409', async (t) => {
  for (const keys of [false, true]) {
    const { owner, tenantId, parts, request } = await scene(100);
    const bodies = await Promise.all(Array.from({ length: 20 }, () => request()));
    const answers = await Promise.all(
      bodies.map((body, n) =>
        owner.post('/api/conversion/upload-convert', body, keys ? { 'idempotency-key': `${tenantId} ${n}` } : {}),
      ),
    );
    t.is(answers.filter(({ status }) => status === 200).length, 4);
    for (const { status, body } of answers) {
      if (status !== 200) t.like(body, { status: 409, code: 'TooFewCredits' });
      if (status !== 200)
        t.regex(body.detail, /^Too few credits\. Only [\d.]+ credits are available\. 24\.5 are needed\.$/);
    }
    t.true(answers.some(({ body }) => body.available === 100 - 4 * COPY));
    t.deepEqual(await parts(), [2, 98, 0, 0]);
    t.is((await w.sql('select from transfers where tenant_id = $1', [tenantId])).length, 4);
  }
});

test.serial('credits that others reserve between the check of a start and its commit refuse the commit', async (t) => {
  const { owner, tenantId, parts, request } = await scene(30);
  const holder = new pg.Client({ connectionString: w.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`select credit_reserve('${tenantId}', 10, 'other', null, null, null, false)`);
  const starting = start(owner, await request());
  await until(async () => {
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return (await w.sql(waits)).length === 1;
  });
  await holder.query('commit');
  await holder.end();
  t.like((await starting).body, { status: 409, code: 'TooFewCredits', available: 20 });
  t.deepEqual(await parts(), [20, 10, 0, 0]);
  t.deepEqual(await w.sql('select from transfers where tenant_id = $1', [tenantId]), []);
});

test.serial('a transfer that ends in the transaction of its start reserves nothing', async (t) => {
  const { owner, tenantId, parts, request } = await scene(30);
  await w.sql(`create function end_at_once() returns trigger language plpgsql as $$
    begin
      update transfers set status = 'Error', error_message = 'At once.', finished_at = now() where id = new.id;
      return null;
    end $$;
    create trigger ends_at_once after insert on transfers for each row execute function end_at_once()`);
  try {
    t.is((await start(owner, await request())).status, 200);
  } finally {
    await w.sql('drop function end_at_once cascade');
  }
  t.deepEqual(await parts(), [30, 0, 0, 0]);
  t.is((await w.sql(`select from transfers where tenant_id = $1 and status = 'Error'`, [tenantId])).length, 1);
});

test.serial(
  'the used credits are spent once, at the end, and the rest is released; an error costs nothing',
  async (t) => {
    const { owner, tenantId, parts, request } = await scene(100);
    await worker.start();
    const { body: copied } = await start(owner, await request());
    const { body: drawn } = await start(owner, await request(GRID));
    const { body: broken } = await start(owner, await request(GRID, 'no grid'));
    t.is((await untilEnd(owner, copied.id)).status, 'Completed');
    t.is((await untilEnd(owner, drawn.id)).status, 'Completed');
    t.is((await untilEnd(owner, broken.id)).status, 'Error');
    const [available = 0, reserved, spent = 0] = await parts();
    t.is(reserved, 0);
    const [{ hours = 0 } = {}] = await w.sql<{ hours: number }>(
      `select sum(extract(epoch from finished_at - started_at))::float8 / 3600 as hours
     from transfers where tenant_id = $1 and status = 'Completed'`,
      [tenantId],
    );
    t.true(spent >= 3.5 && Math.abs(spent - (3.5 + 12 * hours)) < 1e-5, `${spent} for ${hours} h`);
    t.is(Math.round((available + spent) * 1e6) / 1e6, 100);
    const uses = await w.sql<{ exact: boolean }>(
      `select (select sum(amount) from credit_entries e where e.operation_id = t.id::text and account = 'Spent')
       = round((price ->> 'fixed')::numeric + 12 * extract(epoch from finished_at - started_at) / 3600, 6) as exact
     from transfers t where tenant_id = $1 and status = 'Completed'`,
      [tenantId],
    );
    t.deepEqual(uses, [{ exact: true }, { exact: true }], 'to a millionth');
    const kinds = async (id: string) => {
      const { body } = await owner.get(`/api/iam/credit/${tenantId}/operation/${id}`);
      return [...new Set(body.data.map((entry: { kind: string }) => entry.kind))];
    };
    t.deepEqual(await kinds(copied.id), ['Reserve', 'Spend', 'Release']);
    t.deepEqual(await kinds(broken.id), ['Reserve', 'Release']);

    // a millisecond of memory
    const { body: short } = await start(owner, await request({ ...GRID, maxCredits: 3.000004 }));
    const ended = await untilEnd(owner, short.id);
    t.is(ended.status, 'Error');
    t.regex(ended.errorMessage, /more than its maxCredits of 3\.000004/);
    t.deepEqual((await parts()).slice(0, 3), [available, 0, spent]);
    const dry = await owner.post(`/api/conversion/transfer/${broken.id}/retry?dryRun=true`);
    t.is(dry.status, 200);
    t.like(dry.body, { valid: true, credits: 1 + 2 + 4 * 3 * 2 });
    t.deepEqual((await parts()).slice(0, 3), [available, 0, spent]);
    const retried = await owner.post(`/api/conversion/transfer/${broken.id}/retry`);
    t.is(retried.status, 202);
    await untilEnd(owner, retried.body.id);
    t.deepEqual((await parts()).slice(0, 3), [available, 0, spent]);
    const admin = w.as(await w.administrator());
    const job = `/api/admin/job/${retried.body.id}/retry`;
    const asked = await admin.post(`${job}?dryRun=true`);
    t.is(asked.status, 200, 'the retry of an operator tells its price, too');
    t.deepEqual(asked.body, { valid: true, warnings: [], credits: 1 + 2 + 4 * 3 * 2 });
    t.deepEqual((await parts()).slice(0, 3), [available, 0, spent]);
    const trail = await admin.get(`/api/audit/list?account=${retried.body.id}`);
    t.deepEqual(trail.body.data, []);
    const again = await admin.post(job);
    t.is(again.status, 202, 'the dry run was none');
    await untilEnd(owner, again.body.id);
    t.like((await admin.post(`${job}?dryRun=true`)).body, { status: 409, code: 'AlreadyRetried' });
    t.like((await admin.get('/api/iam/credit/verify')).body, { valid: true });
  },
);

test.serial('the tenant of the source pays for a copy into another tenant', async (t) => {
  const { source, target, client, ask } = await carryScene(w);
  t.like((await ask('copy')).body, { status: 409, code: 'TooFewCredits', available: 0 });
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const billingReference = { billingReference: 'R', billingReferenceType: 'EXT' };
  const lot = { credits: 10, expiresAt: '2999-12-31', salesOrderId: 'S', billingReference };
  await seller.post('/api/iam/credit', { ...lot, tenantId: source.tenantId });
  const { status, body } = await ask('copy');
  t.is(status, 200);
  await worker.start();
  t.is((await untilEnd(client, body.id)).status, 'Completed');
  const of = async (tenantId: string) =>
    w.sql('select distinct kind from credit_entries where pool_id = $1 and operation_id = $2 order by kind', [
      tenantId,
      body.id,
    ]);
  t.deepEqual(await of(source.tenantId), [{ kind: 'Release' }, { kind: 'Reserve' }, { kind: 'Spend' }]);
  t.deepEqual(await of(target.tenantId), []);
});

test.serial('the price of a copy includes the time of its commit', async (t) => {
  const { owner, source, client, ask } = await carryScene(w);
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const billingReference = { billingReference: 'R', billingReferenceType: 'EXT' };
  const lot = { tenantId: source.tenantId, credits: 30, expiresAt: '2999-12-31', salesOrderId: 'S', billingReference };
  await seller.post('/api/iam/credit', lot);
  await worker.start();
  const gate = new pg.Client({ connectionString: w.url });
  await gate.connect();
  try {
    await gate.query('begin');
    await gate.query('select from tenant_members where user_id = $1 for update', [owner.userId]);
    const { status, body } = await ask('copy');
    t.is(status, 200);
    const { rows } = await gate.query('select pg_backend_pid() as pid');
    const waiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
    await until(async () => (await w.sql(waiting, [rows[0].pid])).length > 0);
    await gate.query('select pg_sleep(1)');
    await gate.query('commit');
    t.is((await untilEnd(client, body.id)).status, 'Completed');
    const [{ seconds = 0 } = {}] = await w.sql<{ seconds: number }>(
      `select ((amount - (price ->> 'fixed')::numeric) / (price ->> 'perHour')::numeric * 3600)::float8 as seconds
       from credit_entries join transfers t on t.id::text = operation_id where t.id = $1 and account = 'Spent'`,
      [body.id],
    );
    t.true(seconds >= 1, `${seconds} are paid for`);
  } finally {
    await gate.end();
  }
});

test.serial('the job expireCredits of a worker books expired credits', async (t) => {
  // one that runs has this job every hour
  await worker.stop();
  const { tenantId, parts } = await scene(5);
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const billingReference = { billingReference: 'R', billingReferenceType: 'EXT' };
  const lot = { tenantId, credits: 2, salesOrderId: 'S', billingReference };
  let expiresAt: string;
  // a busy machine may take longer, and expired credits are refused
  do expiresAt = new Date(Date.now() + 1000).toISOString();
  while ((await seller.post('/api/iam/credit', { ...lot, expiresAt })).status !== 200);
  await until(async () => (await parts())[3] === 2);
  const booked = async () =>
    (await w.sql(`select from credit_entries where pool_id = $1 and account = 'Expired' and amount = 2`, [tenantId]))
      .length;
  t.is(await booked(), 0);
  await w.sql(`select graphile_worker.add_job('expireCredits', '{}'::json)`);
  await worker.start();
  await until(async () => (await booked()) === 1);
  t.deepEqual(await parts(), [5, 0, 0, 2]);
  const [event] = await w.sql(`select data from events where type like '%creditsexpiredevent' and tenant_id = $1`, [
    tenantId,
  ]);
  t.like(event, { data: { CustomerGuid: tenantId, Credits: 2, ExpiresAt: expiresAt } });
});
