import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskStore } from '../../../src/blobs/disk.ts';
import { verify } from '../../../src/credits/verify.ts';
import { Database } from '../../../src/db.ts';
import { removeOrphanBlobs } from '../../../src/transfers/store/orphan-blobs.ts';
import type { AcceptedCredits } from './credits.ts';
import { INVARIANTS, KNOWLEDGE } from './invariants.ts';
import { type AcceptedSubmission, sha256Of, wellsIn } from './kinds.ts';
import type { Platform } from './platform.ts';

const PATIENCE_MS = 120_000;

/**
 * Workers that ended last leave what is theirs to those that live on. Asked when none is left: starts one, and stops it
 * when there is nothing to mend any more, or nothing happens.
 */
async function mend(platform: Platform) {
  const { sql, folder } = platform;
  const deadline = Date.now() + PATIENCE_MS;
  platform.setWorkers(1);
  for (let left = true; left && Date.now() < deadline; ) {
    await sleep(200);
    const [row] = await sql<{ left: boolean }>(
      `select (select count(*) from workers) <> 1 or exists (
         select from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = task_id
         where task.identifier = 'runTransfer' or job.locked_at is not null) as left`,
    );
    left = row?.left === true || (await readdir(join(folder, 'scratch'))).length !== 1;
  }
  await platform.stopWorkers();
}

/**
 * The rules that were broken, each with a few of its breaches; asked when all is over and the workers are stopped. What
 * those left is mended before, and the blobs are swept.
 */
export async function judge(
  platform: Platform,
  acknowledged: readonly AcceptedSubmission[],
  caused: ReadonlyMap<string, number> = new Map(),
  credits: readonly AcceptedCredits[] = [],
): Promise<Record<string, unknown[]>> {
  await mend(platform);
  await tell(platform, acknowledged, caused, credits);
  const broken: Record<string, unknown[]> = {};
  const ledger = await verified(platform.url);
  if (!ledger.valid) broken['The ledger of credits is right.'] = [ledger];
  for (const { rule, violations } of INVARIANTS) {
    const found = await platform.sql(violations);
    if (found.length > 0) broken[`${rule} Not kept: ${found.length}.`] = found.slice(0, 3);
  }
  const scratch = await readdir(join(platform.folder, 'scratch'));
  if (scratch.length > 0) broken['Nothing is left in the scratch folder.'] = scratch;
  return broken;
}

async function verified(url: string) {
  const db = new Database(url, 1);
  try {
    return await verify(db);
  } finally {
    await db.end();
  }
}

async function tell(
  { sql, url, folder }: Platform,
  acknowledged: readonly AcceptedSubmission[],
  caused: ReadonlyMap<string, number>,
  credits: readonly AcceptedCredits[],
) {
  await sql(KNOWLEDGE);
  const put = (table: string, columns: string, rows: object[]) =>
    sql(`insert into campaign.${table} select * from json_to_recordset($1) as row (${columns})`, [
      JSON.stringify(rows),
    ]);
  await put(
    'acknowledged',
    'id uuid, kind text, sha256 text, name text, "datasetId" uuid, feature text, cancelled boolean, label text, "memoryMb" int',
    [...acknowledged],
  );
  await put(
    'caused',
    'name text, times int',
    [...caused].map(([name, times]) => ({ name, times })),
  );

  await put('credits', 'operation text, tenant uuid, reserved numeric, spent numeric, released numeric', [...credits]);

  const blobs = await DiskStore.open(join(folder, 'blobs'));
  const db = new Database(url, 2);
  // as if all had been lying there for longer than an hour
  await removeOrphanBlobs(db, blobs, { olderThanMs: -3_600_000 });
  await db.end();
  const growing = new Map(
    (
      await sql<{ blob: string; id: string }>(
        `select blob, id from datasets where id in (select dataset_id from campaign.acknowledged where feature is not null)`,
      )
    ).map(({ blob, id }) => [blob, id]),
  );
  const stored = [];
  const features = [];
  for await (const { name } of blobs.list('')) {
    const bytes = await buffer(await blobs.read(name));
    stored.push({ name, size: bytes.length, sha256: sha256Of(bytes) });
    const datasetId = growing.get(name);
    if (datasetId !== undefined)
      features.push(...wellsIn(bytes.toString()).map((name) => ({ dataset_id: datasetId, name })));
  }
  await put('stored', 'name text, size bigint, sha256 text', stored);
  await put('features', 'dataset_id uuid, name text', features);
}
