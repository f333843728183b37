import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClaimedThumbnail,
  claimThumbnail,
  putThumbnail,
  releaseThumbnail,
} from '../../datasets/thumbnail.queries.ts';
import { AppError } from '../../errors.ts';
import type { MaintenanceRun } from '../../platform/async/maintenance-run.ts';
import { writeSeriesFile } from '../../series/to-file.ts';
import { DEFAULT_MEMORY_MB } from '../queue/resource-request.ts';
import { ChildDied } from './conversion.ts';
import type { Executor } from './executor.ts';

type Parts = Pick<Executor, 'db' | 'blobs' | 'draw' | 'scratch' | 'scratchGb' | 'log'>;

/** Time for one content, and the time after which a run takes no other one. */
const [LIMIT_MS, RUN_MS] = [60_000, 30_000];
/** Larger contents are not fetched for a picture. Bytes. */
const MAX_BYTES = 2 ** 30;

/**
 * Draws contents that have no picture yet: small copies, bytes that a client has written, time series that have grown,
 * and what was stored before there were thumbnails. Stops when nothing is due, and when transfers need the capacity.
 * @param allocate takes the capacity of a transfer, and returns what releases it; undefined: there is none
 */
export async function drawThumbnails(
  parts: Parts,
  run: MaintenanceRun,
  allocate: (id: string) => { release(): void } | undefined,
): Promise<void> {
  const end = performance.now() + RUN_MS;
  while (performance.now() < end) {
    run.signal?.throwIfAborted();
    const allocation = allocate(`thumbnail ${randomUUID()}`);
    if (allocation === undefined) return;
    try {
      const claimed = await parts.db.transaction(claimThumbnail);
      if (claimed === null) return;
      await run.attempt('thumbnails', () => drawOne(parts, claimed, run.signal), claimed.datasetId);
    } finally {
      allocation.release();
    }
  }
}

async function drawOne(
  { db, log, ...parts }: Parts,
  claimed: ClaimedThumbnail,
  stop: AbortSignal | undefined,
): Promise<void> {
  const { datasetId, lease, datasetFormat, storageSize } = claimed;
  const signal = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ...(stop === undefined ? [] : [stop])]);
  let pictures: readonly Uint8Array[] | undefined;
  try {
    if (storageSize > 0 && storageSize <= MAX_BYTES)
      pictures = await drawContent({ db, ...parts }, claimed, datasetFormat, signal);
  } catch (error) {
    const isHopeless =
      error instanceof ChildDied || (error instanceof AppError && error.kind !== 'unavailable') || timedOut(error);
    if (!isHopeless || stop?.aborted) {
      const isOutage = stop?.aborted === true || (error instanceof AppError && error.kind === 'unavailable');
      await db.transaction((tx) => releaseThumbnail(tx, claimed, isOutage));
      throw error;
    }
    log.warn({ err: error, datasetId }, 'a thumbnail could not be drawn');
  }
  await db.transaction((tx) => putThumbnail(tx, claimed, pictures, lease));
}

const timedOut = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

async function drawContent(
  { db, blobs, draw, scratch, scratchGb }: Omit<Parts, 'log'>,
  { datasetId, blob }: ClaimedThumbnail,
  format: string,
  signal: AbortSignal,
): Promise<readonly Uint8Array[] | undefined> {
  const folder = join(scratch, `thumbnail-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  try {
    const path = join(folder, 'input');
    if (blob !== undefined) await blobs.fetch(blob, path, signal);
    else if (!(await writeSeriesFile(db, datasetId, path, { values: true, signal }))) return undefined;
    const limits = { memoryMb: DEFAULT_MEMORY_MB, scratchGb, time: LIMIT_MS, timeLimit: LIMIT_MS };
    return await draw({ path, format, scratch: folder }, limits, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
