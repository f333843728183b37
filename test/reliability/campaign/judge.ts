import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openDiskStore } from '../../../src/blobs/disk.ts';
import { connect } from '../../../src/db.ts';
import { removeOrphanBlobs } from '../../../src/transfers/orphan-blobs.ts';
import { INVARIANTS, KNOWLEDGE } from './invariants.ts';
import type { Acknowledged } from './kinds.ts';
import { sha256Of, wellsIn } from './kinds.ts';
import type { Platform } from './platform.ts';

/** The rules that were broken, each with a few of its breaches; asked when all is over, the sweep of blobs included. */
export async function judge(
  platform: Platform,
  acknowledged: readonly Acknowledged[],
  caused: ReadonlyMap<string, number> = new Map(),
): Promise<Record<string, unknown[]>> {
  await tell(platform, acknowledged, caused);
  const broken: Record<string, unknown[]> = {};
  for (const { rule, violations } of INVARIANTS) {
    const found = await platform.sql(violations);
    if (found.length > 0) broken[`${rule} Not kept: ${found.length}.`] = found.slice(0, 3);
  }
  return broken;
}

async function tell(
  { sql, url, folder }: Platform,
  acknowledged: readonly Acknowledged[],
  caused: ReadonlyMap<string, number>,
) {
  await sql(KNOWLEDGE);
  const put = (table: string, columns: string, rows: object[]) =>
    sql(`insert into campaign.${table} select * from json_to_recordset($1) as row (${columns})`, [
      JSON.stringify(rows),
    ]);
  await put(
    'acknowledged',
    'id uuid, kind text, sha256 text, name text, "datasetId" uuid, feature text, cancelled boolean',
    [...acknowledged],
  );
  await put(
    'caused',
    'name text, times int',
    [...caused].map(([name, times]) => ({ name, times })),
  );

  const blobs = await openDiskStore(join(folder, 'blobs'));
  const db = await connect(url, 2);
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
