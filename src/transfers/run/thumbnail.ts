import { putThumbnail } from '../../datasets/thumbnail.queries.ts';
import type { Transaction } from '../../db.ts';
import { AppError } from '../../errors.ts';
import type { Executor } from './executor.ts';
import type { Report } from './report.ts';
import type { ClaimedRow, Output } from './run.queries.ts';
import type { TimeLimit } from './time-limit.ts';

/** Longest time for which an import waits for its picture. */
const LIMIT_MS = 10_000;

/** What was drawn of a new content. Absent: nothing, so the job `drawThumbnails` tries. */
export interface Tried {
  /** Absent: the content cannot be drawn. */
  pictures?: readonly Uint8Array[];
}

/**
 * Draws the output of a conversion while it is a local file. A failure is a warning in the log of the transfer, which
 * it never fails; the job `drawThumbnails` tries again, with more time.
 */
export async function tryThumbnail(
  { draw }: Pick<Executor, 'draw'>,
  {
    transfer,
    report,
    signal,
    time,
    scratchGb,
  }: {
    transfer: ClaimedRow;
    report: Report;
    signal: AbortSignal;
    time: TimeLimit;
    scratchGb: number;
  },
  { path, folder }: { path: string; folder: string },
): Promise<Tried | undefined> {
  // half of what is left, so that the drawing does not make an import late
  const limit = Math.min(LIMIT_MS, Math.floor(time.left() / 2));
  const limits = { memoryMb: transfer.memoryMb, scratchGb, time: limit, timeLimit: limit };
  try {
    const pictures = await draw({ path, format: transfer.format, scratch: folder }, limits, signal);
    return pictures === undefined ? {} : { pictures };
  } catch (error) {
    signal.throwIfAborted();
    report.log('warning', `The thumbnail could not be drawn. ${sentenceOf(error)}`);
    return undefined;
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof AppError ? error.message : 'The process that drew it has failed.';

/** Stores the picture in the transaction that makes the content. */
export async function storeThumbnail(tx: Transaction, output: Output, tried: Tried | undefined): Promise<void> {
  if (tried === undefined || 'exported' in output) return;
  const content =
    'dataset' in output
      ? { datasetId: output.dataset.id, blob: output.dataset.blob }
      : { datasetId: output.replaced.datasetId, blob: output.replaced.blob };
  await putThumbnail(tx, content, tried.pictures);
}
