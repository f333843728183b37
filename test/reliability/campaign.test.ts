import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { openDiskStore } from '../../src/blobs/disk.ts';
import { connect } from '../../src/db.ts';
import { removeOrphanBlobs } from '../../src/transfers/orphan-blobs.ts';
import { clientOf } from './campaign/client.ts';
import { disturb } from './campaign/disturbances.ts';
import { INVARIANTS, KNOWLEDGE } from './campaign/invariants.ts';
import type { Platform } from './campaign/platform.ts';
import { processesOf, startPlatform } from './campaign/platform.ts';
import type { Work } from './campaign/work.ts';
import { prepareWork } from './campaign/work.ts';
import { choices, KILLS, LONG, SEED } from './flags.ts';

const OPEN_TRANSFERS = 12;
const PATIENCE_MS = 240_000;

test('no acknowledged submit is lost and each takes effect once, whatever is done to workers, API and database', async (t) => {
  t.timeout(LONG ? 60 * 60_000 : 10 * 60_000);
  t.log(`CRASH_SEED=${SEED}`);
  const platform = await startPlatform({ workers: 3, concurrency: 2 });
  try {
    const client = clientOf(platform);
    const work = await prepareWork(platform, client, choices(1));
    const began = Date.now();
    work.begin(OPEN_TRANSFERS);
    const counts = await disturb(platform, choices(2), KILLS);
    await work.stop();
    const disturbed = Date.now();
    const allEnded = await untilAllEnded(platform);
    const ended = Date.now();
    await platform.stopWorkers();

    for (const [name, times] of counts) t.log(`${times} × ${name}`);
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    t.log(
      `${work.acknowledged.length} transfers in ${seconds(disturbed - began)}, the last ended ${seconds(ended - disturbed)} later`,
    );
    t.log(
      `${client.repeats} requests were sent again; answers of the API besides success: ${JSON.stringify([...client.troubles])}`,
    );
    for (const surprise of [...platform.surprises, ...platform.failures]) t.log(surprise);
    t.true(allEnded, `Every transfer ends within ${PATIENCE_MS / 1000} s.`);
    await judge(t, platform, work, counts);
    t.deepEqual(await readdir(join(platform.folder, 'scratch')), [], 'Nothing is left in the scratch folder.');
  } finally {
    await platform.close();
  }
  t.deepEqual(await processesOf(platform.folder), [], 'No process is left.');
});

async function untilAllEnded({ sql }: Platform): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const open = await sql('select from transfers where finished_at is null limit 1');
    if (open.length === 0) return true;
    if (Date.now() > deadline) return false;
    await sleep(200);
  }
}

async function judge(t: ExecutionContext, platform: Platform, work: Work, counts: Map<string, number>) {
  await tellKnowledge(platform, work, counts);
  const broken: Record<string, unknown[]> = {};
  for (const { rule, violations } of INVARIANTS) {
    const found = await platform.sql(violations);
    if (found.length > 0) broken[`${rule} Not kept: ${found.length}.`] = found.slice(0, 3);
  }
  t.deepEqual(broken, {});
}

async function tellKnowledge({ sql, url, folder }: Platform, work: Work, counts: Map<string, number>) {
  await sql(KNOWLEDGE);
  await sql(
    `insert into campaign.acknowledged
     select * from json_to_recordset($1) as a (id uuid, kind text, sha256 text, name text, "datasetId" uuid, cancelled boolean)`,
    [JSON.stringify(work.acknowledged)],
  );
  await sql('insert into campaign.caused select * from json_to_recordset($1) as c (name text, times int)', [
    JSON.stringify([...counts].map(([name, times]) => ({ name, times }))),
  ]);
  const blobs = await openDiskStore(join(folder, 'blobs'));
  const db = await connect(url, 2);
  // as if all had been lying there for longer than an hour
  await removeOrphanBlobs(db, blobs, { olderThanMs: -3_600_000 });
  await db.end();
  const stored = [];
  for await (const { name } of blobs.list('')) {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of await blobs.read(name)) {
      hash.update(chunk);
      size += chunk.length;
    }
    stored.push({ name, size, sha256: hash.digest('hex') });
  }
  await sql(
    'insert into campaign.stored select * from json_to_recordset($1) as s (name text, size bigint, sha256 text)',
    [JSON.stringify(stored)],
  );
}
