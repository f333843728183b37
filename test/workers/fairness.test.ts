import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

/**
 * The queue is filled first, then one worker runs one transfer after the other: who starts when is not left to chance.
 */
const w = world(test, { 'outbound.allow': '127.0.0.1:1' });

/** An Owner of a tenant of its own, who starts transfers. */
async function tenant(weight?: number) {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  if (weight !== undefined) {
    const answer = await w.as(await w.administrator()).put(`/api/iam/tenant/${owner.tenantId}`, { weight });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }
  const client = w.as(owner);
  const projectId = await newProject(client);
  const file = await upload(w, client, 'words');
  return {
    owner,
    client,
    projectId,
    async submit(count: number, more: object = {}): Promise<string[]> {
      const ids: string[] = [];
      for (let n = 0; n < count; n++) ids.push((await start(client, copyRequest(projectId, file, more))).body.id);
      return ids;
    },
  };
}

/** Runs all that waits; the names of these transfers in the order in which they were started. */
async function order(named: Record<string, string[]>): Promise<string> {
  const worker = await workHere(w, { 'worker.concurrency': '1' });
  try {
    const names = new Map(Object.entries(named).flatMap(([name, ids]) => ids.map((id) => [id, name] as const)));
    const owners = await w.sql<{ id: string; created_by: string }>(
      'select id, created_by from transfers where id = any($1)',
      [[...names.keys()]],
    );
    for (const { id, created_by: userId } of owners) await untilEnd(w.as({ userId }), id);
    const rows = await w.sql<{ id: string }>('select id from transfers where id = any($1) order by started_at', [
      [...names.keys()],
    ]);
    return rows.map(({ id }) => names.get(id)).join('');
  } finally {
    await worker.stop();
  }
}

test.serial('many transfers of one tenant delay the first of another tenant by at most one', async (t) => {
  const [many, one] = [await tenant(), await tenant()];
  const before = await many.submit(5);
  t.is(await order({ a: before }), 'aaaaa');
  const a = await many.submit(30);
  const b = await one.submit(1);
  const started = await order({ a, b });
  t.true(started.indexOf('b') <= 1, started);
});

test.serial('tenants that wait for the same worker alternate, even if one of them came earlier', async (t) => {
  const [early, late] = [await tenant(), await tenant()];
  const a = await early.submit(8);
  const b = await late.submit(8);
  t.regex(await order({ a, b }), /^(ab|ba){8}$/);
});

test.serial(
  'retries against an unreachable server get new virtual times: they do not displace another tenant',
  async (t) => {
    const [away, one] = [await tenant(), await tenant()];
    const settings = { 'worker.concurrency': '1', 'outbound.allow': '127.0.0.1:1' };
    const a: string[] = [];
    for (let n = 0; n < 12; n++) {
      const request = copyRequest(away.projectId, 'http://127.0.0.1:1/file');
      a.push((await start(away.client, request)).body.id);
    }
    const tries = async () =>
      w.sql<{ id: string; attempt: number; resting: boolean }>(
        `select t.id, t.attempt, job.run_at > now() as resting from transfers t
       left join graphile_worker._private_jobs job on job.key = t.id::text where t.id = any($1)`,
        [a],
      );
    const first = await workHere(w, settings);
    while ((await tries()).some(({ attempt }) => attempt < 1)) await sleep(20);
    await first.stop();
    while ((await tries()).some(({ resting }) => resting)) await sleep(50);
    const before = (await tries()).reduce((sum, { attempt }) => sum + attempt, 0);
    const [b = ''] = await one.submit(1);
    const second = await workHere(w, settings);
    try {
      await untilEnd(one.client, b);
      const [row] = await w.sql<{ tried: number }>(
        `select count(*)::int as tried from transfer_log l join transfers b on b.id = $2
       where l.transfer_id = any($1) and l.message like 'Attempt % started.' and l.time < b.started_at`,
        [a, b],
      );
      t.true(row!.tried - before <= 2, `${row!.tried - before} tries went before`);
      while ((await tries()).reduce((sum, { attempt }) => sum + attempt, 0) < before + a.length) await sleep(50);
    } finally {
      await second.stop();
    }
  },
);

test.serial('tenants have shares in proportion to their weights', async (t) => {
  const [heavy, light] = [await tenant(3), await tenant()];
  const b = await light.submit(6);
  const a = await heavy.submit(18);
  const started = await order({ a, b });
  for (let n = 4; n <= 24; n += 4) {
    const share = [...started.slice(0, n)].filter((name) => name === 'b').length;
    t.true(Math.abs(share - n / 4) <= 1, `${started}: ${share} of the first ${n}`);
  }
});

test.serial('an idle tenant accumulates no share of the queue', async (t) => {
  const [busy, away] = [await tenant(), await tenant()];
  await order({ a: await busy.submit(10) });
  const a = await busy.submit(5);
  const b = await away.submit(5);
  t.regex(await order({ a, b }), /^(ab|ba){5}$/);
});

test.serial('transfers that no worker can run do not delay others', async (t) => {
  const [stuck, busy, late] = [await tenant(), await tenant(), await tenant()];
  await stuck.submit(1, { requiredLabels: ['nobody=has-it'] });
  await order({ a: await busy.submit(10) });
  const a = await busy.submit(6);
  const b = await late.submit(6);
  t.regex(await order({ a, b }), /^(ab|ba){6}$/);
});
