import type { Database } from '../../db.ts';
import { type FileUse, insertSeriesFile } from '../../series/from-file.ts';
import { deferDatasetCheck, raiseGeneration, updateSize } from '../../series/queries.ts';
import { type Completed, settle } from '../ends/settle.ts';
import type { Fence, LogLine, Output } from './run.queries.ts';
import { limitIdleTime } from './settle-rows.queries.ts';
import { Stopped } from './stopped.ts';
import { storeThumbnail, type Tried } from './thumbnail.ts';

/** The attempt that made the series, and what it commits. */
interface Settlement {
  attempt: Fence;
  outcome: Completed;
  lines: readonly LogLine[];
  picture: Tried | undefined;
}

/**
 * Writes the series that a conversion made, and settles its transfer, in one transaction. The transfer's row comes
 * last: until then a cancel, a takeover and the heartbeat find it unlocked, and the fence of the settlement decides
 * whether the rows stay.
 * @param path the file of the conversion
 */
export async function settleRows(
  db: Database,
  settlement: Settlement,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const { datasetId, use } = targetOf(settlement.outcome.result.output);
  await db.transaction(async (tx) => {
    // a stalled worker must not keep rows locked from its successor
    await limitIdleTime(tx);
    await deferDatasetCheck(tx);
    await insertSeriesFile(tx, datasetId, path, { use, signal });
    signal.throwIfAborted();
    const settled = await settle(tx, settlement);
    if (settled.length === 0) throw new Stopped('takenOver');
    await updateSize(tx, datasetId, use === 'appended');
    await storeThumbnail(tx, settlement.outcome.result.output, settlement.picture);
    await raiseGeneration(tx, datasetId);
  });
}

function targetOf(output: Output): { datasetId: string; use: FileUse } {
  if ('dataset' in output) return { datasetId: output.dataset.id, use: 'new' };
  if ('replaced' in output)
    return { datasetId: output.replaced.datasetId, use: output.replaced.grown ? 'appended' : 'replaced' };
  throw new Error('Time series cannot be exported as rows.');
}
