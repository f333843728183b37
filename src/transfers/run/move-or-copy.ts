import { randomUUID } from 'node:crypto';
import { SERIES_FORMAT } from 'hydrofiles/series';
import { copyThumbnail } from '../../datasets/thumbnail.queries.ts';
import type { Transaction } from '../../db.ts';
import { AppError, forbidden } from '../../errors.ts';
import { formatDuration } from '../../platform/text/time.ts';
import { lockProjectTrees } from '../../projects/tree.ts';
import { settle } from '../ends/settle.ts';
import { findSeriesSize } from './copy-series.queries.ts';
import { copySeries } from './copy-series.ts';
import type { Executor } from './executor.ts';
import { holdOwned, holdRun, insertCopy, moveDataset } from './move-or-copy.queries.ts';
import { outputBlob } from './output.ts';
import type { Report } from './report.ts';
import { type ClaimedRow, getStops, type LogLine } from './run.queries.ts';
import { Stopped } from './stopped.ts';
import { inTime, limitTime, type TimeLimit } from './time-limit.ts';

/**
 * The copied bytes, which the commit makes those of the new dataset. Without a blob: time series, whose rows its
 * transaction copies.
 */
interface Copied {
  id: string;
  blob?: string | undefined;
  size: number;
}

/**
 * One attempt to move or copy a dataset into another tenant. A move leaves the bytes where they are; for a copy the
 * blob store copies them. Throws why it failed.
 */
export async function runMoveOrCopy(executor: Executor, transfer: ClaimedRow, report: Report, signal: AbortSignal) {
  const timeLimit = Math.min(executor.timeLimit, transfer.price?.timeLimitMs ?? executor.timeLimit);
  const time = limitTime(signal, timeLimit, executor.abandoned);
  signal.throwIfAborted();
  const copied = transfer.carry === 'copy' ? await copyBytes(executor, transfer, report, time) : undefined;
  signal.throwIfAborted();
  const message = copied ? `Copied: ${copied.size} bytes.` : 'Moved.';
  // not in the report: a failed commit must not log it
  const lines = [...(await report.close()), { time: new Date().toISOString(), level: 'info', message } as const];
  try {
    await executor.db.transaction(async (tx) => {
      // before anything is locked, because it can take long
      if (copied && copied.blob === undefined) await copyRows(tx, transfer, copied, time);
      await commit(tx, transfer, copied, lines);
    });
  } catch (error) {
    // after another error the commit may have succeeded, and then a row names the new bytes
    if (copied?.blob !== undefined && (error instanceof AppError || error instanceof Stopped))
      await executor.blobs.remove(copied.blob);
    throw error;
  }
}

async function copyBytes(
  { blobs, db }: Executor,
  transfer: ClaimedRow,
  report: Report,
  time: TimeLimit,
): Promise<Copied> {
  const { inputBlob } = transfer;
  const id = randomUUID();
  const blob = outputBlob(transfer);
  report.progress(0, 'Copying');
  if (transfer.format === SERIES_FORMAT)
    return { id, size: (await findSeriesSize(db, transfer.inputDatasetId ?? '')) ?? 0 };
  if (inputBlob === undefined) throw inputGone();
  try {
    const { size } = await inTime(time, tooLong(time), (stop) => blobs.copy(inputBlob, blob, stop));
    return { id, blob, size };
  } catch (error) {
    if (error instanceof AppError && error.kind === 'notFound') throw inputGone();
    throw error;
  }
}

/**
 * Copies the time series. They are seen when the transaction commits, with the dataset that has them. An abort waits
 * for the statement under way, because the connection can roll back nothing before it.
 */
async function copyRows(
  tx: Transaction,
  { inputDatasetId = '' }: ClaimedRow,
  { id }: Copied,
  time: TimeLimit,
): Promise<void> {
  let copying: Promise<void> | undefined;
  try {
    await inTime(time, tooLong(time), (stop) => {
      copying = copySeries(tx, inputDatasetId, id, stop);
      return copying;
    });
  } finally {
    await copying?.catch(() => {});
  }
}

const tooLong =
  ({ whole }: TimeLimit) =>
  () =>
    `The copy took longer than its time limit of ${formatDuration(whole)}.`;

const inputGone = () => new AppError('gone', 'The input of this transfer no longer exists.');

/** All or nothing. Checks again what the start checked, and locks it until the commit. */
async function commit(tx: Transaction, transfer: ClaimedRow, copied: Copied | undefined, lines: readonly LogLine[]) {
  const {
    id: transferId,
    projectId,
    tenantId,
    sourceProjectId = '',
    sourceTenantId = '',
    createdBy: userId,
  } = transfer;
  const datasetId = (copied ? transfer.inputDatasetId : transfer.outputDatasetId) ?? '';
  // neither project can be deleted meanwhile; deletions take these locks in the same order
  await lockProjectTrees(tx, sourceProjectId, projectId);
  if (!(await holdRun(tx, transfer))) throw new Stopped('takenOver');
  const { cancelled, projectDeleted } = await getStops(tx, transferId);
  if (cancelled || projectDeleted) throw new Stopped('takenOver');
  const owned = await holdOwned(tx, userId, [sourceTenantId, tenantId]);
  for (const each of [sourceTenantId, tenantId]) {
    if (!owned.includes(each))
      throw forbidden(`The account that started this transfer is no longer an Owner of tenant '${each}'.`);
  }
  const target = { transferId, datasetId, projectId, changesTenant: sourceTenantId !== tenantId, userId };
  const done = copied
    ? await insertCopy(tx, target, { id: copied.id, blob: copied.blob, storageSize: copied.size })
    : await moveDataset(tx, target);
  if (!done) throw new AppError('gone', `Dataset '${datasetId}' no longer exists.`);
  if (copied) await copyThumbnail(tx, datasetId, copied.id);
  const outcome = { kind: 'movedOrCopied', transfer, datasetId: copied?.id ?? datasetId } as const;
  await settle(tx, { attempt: transfer, outcome, lines });
}
