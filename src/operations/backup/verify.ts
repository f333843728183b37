import { readBlobList } from './blob-list.ts';
import { inLanes } from './copy-blobs.ts';
import { type BlobEntry, JOBS, type Manifest, type Packed, tableName } from './manifest.ts';
import { DamagedFile, readPacked } from './packed-file.ts';
import { readBackedUp } from './restore.ts';
import { chooseBackup, type Target } from './target.ts';

/** Blobs that are read at once. */
const AT_ONCE = 4;

export interface Verified {
  manifest: Manifest;
  /** Blobs with the same bytes are read once. */
  blobs: number;
  bytes: number;
  /** One sentence each. */
  problems: string[];
}

/** Reads all of a backup and compares it with what was written. */
export async function verifyBackup(
  target: Target,
  wanted: string | undefined,
  { stop, progress }: { stop: AbortSignal; progress(share: number): void },
): Promise<Verified> {
  const manifest = await chooseBackup(target, wanted);
  const { id } = manifest;
  if (manifest.state === 'unfinished')
    throw new Error(`The backup ${id} was never finished. There is nothing to verify.`);
  const verified: Verified = {
    manifest,
    blobs: 0,
    bytes: 0,
    problems: manifest.missing.map(
      ({ name, reason }) => `The blob ${name} was missing when the backup was made: ${reason}`,
    ),
  };
  const attempt = async (read: () => AsyncIterable<unknown>) => {
    try {
      for await (const _ of read()) stop.throwIfAborted();
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      verified.problems.push(error.message);
    }
  };
  const files: [string, Packed | undefined][] = manifest.tables.map((table) => [table.name, table]);
  for (const [table, expected] of [...files, [JOBS, manifest.jobs] as const])
    if (expected !== undefined) {
      const what = `The file of '${table}'`;
      await attempt(() => readPacked(target.store, tableName(id, table), { what, expected }, stop));
    }
  const entries = new Map<string, BlobEntry>();
  await attempt(async function* () {
    for await (const entry of readBlobList(target, manifest, stop)) {
      entries.set(entry.sha256, entry);
      yield;
    }
  });
  await inLanes(entries.values(), AT_ONCE, async (entry) => {
    await attempt(() => readBackedUp(target.store, entry, stop));
    verified.bytes += entry.size;
    progress(++verified.blobs / entries.size);
  });
  return verified;
}
