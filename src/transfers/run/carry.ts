import { randomUUID } from 'node:crypto';
import type { Db } from '../../db.ts';
import { AppError, forbidden } from '../../errors.ts';
import { inWords } from '../../platform/text/time.ts';
import { lockTreesOf } from '../../projects/tree.ts';
import { tellFinished } from '../events.ts';
import { completeCarry, holdOwned, holdRun, insertCopy, moveCarried } from './carry.queries.ts';
import { outputBlob } from './output.ts';
import type { RunParts } from './perform.ts';
import type { Report } from './report.ts';
import type { ClaimedRow, LogLine } from './run.queries.ts';
import { getStops } from './run.queries.ts';
import { Stopped } from './stopped.ts';
import type { TimeLimit } from './time-limit.ts';
import { inTime, limitTime } from './time-limit.ts';

/** Bytes that are the copy's if the run comes to its end. */
interface Copied {
  blob: string;
  size: number;
}

/**
 * One attempt of a claimed transfer that takes a dataset elsewhere: a move leaves the bytes where they are, a copy has the store copy them.
 * Throws why it came to nothing.
 */
export async function carryOut(parts: RunParts, transfer: ClaimedRow, report: Report, signal: AbortSignal) {
  const time = limitTime(signal, parts.timeLimit);
  signal.throwIfAborted();
  const copied = transfer.carry === 'copy' ? await copyBytes(parts, transfer, report, time) : undefined;
  signal.throwIfAborted();
  const message = copied ? `Copied: ${copied.size} bytes.` : 'Moved.';
  // said by the commit alone: one that fails leaves the report without it
  const lines = [...(await report.close()), { time: new Date().toISOString(), level: 'info', message } as const];
  try {
    await parts.db.transaction((tx) => commit(tx, transfer, copied, lines));
  } catch (error) {
    // only a refusal says for sure that no row names the new bytes
    if (copied && (error instanceof AppError || error instanceof Stopped)) await parts.blobs.remove(copied.blob);
    throw error;
  }
}

async function copyBytes({ blobs }: RunParts, transfer: ClaimedRow, report: Report, time: TimeLimit): Promise<Copied> {
  const { inputBlob } = transfer;
  const blob = outputBlob(transfer);
  report.progress(0, 'Copying');
  if (inputBlob === undefined) throw inputGone();
  const tooLong = () => `The copy took longer than its time limit of ${inWords(time.whole)}.`;
  try {
    const { size } = await inTime(time, tooLong, (stop) => blobs.copy(inputBlob, blob, stop));
    return { blob, size };
  } catch (error) {
    if (error instanceof AppError && error.kind === 'notFound') throw inputGone();
    throw error;
  }
}

const inputGone = () => new AppError('gone', 'The input of this transfer is no longer there.');

/** All or nothing. What was right at the start is asked again, and stays so until it is done. */
async function commit(tx: Db, transfer: ClaimedRow, copied: Copied | undefined, lines: readonly LogLine[]) {
  const {
    id: transferId,
    projectId,
    tenantId,
    sourceProjectId = '',
    sourceTenantId = '',
    createdBy: userId,
  } = transfer;
  const datasetId = (copied ? transfer.inputDatasetId : transfer.outputDatasetId) ?? '';
  // neither project is deleted meanwhile; in the order in which deletions take the same locks
  await lockTreesOf(tx, sourceProjectId, projectId);
  if (!(await holdRun(tx, transfer))) throw new Stopped('overtaken');
  const { cancelled, projectDeleted } = await getStops(tx, transferId);
  if (cancelled || projectDeleted) throw new Stopped('overtaken');
  const owned = await holdOwned(tx, userId, [sourceTenantId, tenantId]);
  for (const each of [sourceTenantId, tenantId]) {
    if (!owned.includes(each))
      throw forbidden(`Who started this transfer can no longer act as an Owner of tenant '${each}'.`);
  }
  const carried = { transferId, datasetId, projectId, changesTenant: sourceTenantId !== tenantId, userId };
  const madeId = copied ? randomUUID() : datasetId;
  const done = copied
    ? await insertCopy(tx, carried, { id: madeId, blob: copied.blob, storageSize: copied.size })
    : await moveCarried(tx, carried);
  if (!done) throw new AppError('gone', `Dataset '${datasetId}' is no longer there.`);
  await completeCarry(tx, transfer, madeId, lines);
  await tellFinished(tx, transfer, { status: 'Completed', progress: 100, datasetId: madeId });
}
