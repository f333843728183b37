import type { Transaction } from '../../db.ts';
import { emitAll } from '../../outbox.ts';
import { finished, hasEvents, type Subject, viewPerTenant } from '../events.ts';
import { enqueueFirst, enqueueLater } from '../queue/enqueue.ts';
import { completeMoveOrCopy } from '../run/move-or-copy.queries.ts';
import { type Completion, completeTransfer, type Fence, type LogLine, releaseTransfer } from '../run/run.queries.ts';
import { type EndedRow, failTransfer, failUnheldTransfer, failWaiting } from './end.queries.ts';
import { decideEnding, type Ending, type HandedBack } from './outcome.ts';

/** An attempt made a file or a dataset. */
export interface Completed {
  kind: 'completed';
  transfer: Subject;
  result: Omit<Completion, 'lines' | 'event'>;
}

/** An attempt moved or copied a dataset, in the transaction that settles it. */
export interface MovedOrCopied {
  kind: 'movedOrCopied';
  transfer: Subject;
  datasetId: string;
}

/**
 * The transfers to settle, and the outcome. Transfers that are no longer in the state of the member are left unchanged.
 */
export type Settlement =
  /** An attempt that this process runs. */
  | { attempt: Fence; outcome: Completed | MovedOrCopied | Ending | HandedBack; lines: readonly LogLine[] }
  /** A transfer that no worker runs, or whose worker does not respond. */
  | { unheld: Fence; outcome: Ending }
  /** Only transfers of this list that still wait. */
  | { waiting: readonly string[]; outcome: Ending };

export interface Settled {
  id: string;
  kind: 'completed' | 'failed' | 'cancelled' | 'handedBack';
}

/**
 * The one settlement of transfers: writes outcome, log and event, and frees the datasets, all or nothing. Gives the
 * transfers that it settled; none if another process settled them first. A ledger of credits charges and releases its
 * holds here.
 */
export async function settle(tx: Transaction, settlement: Settlement): Promise<Settled[]> {
  if ('waiting' in settlement) {
    const { waiting, outcome } = settlement;
    return emitEnded(tx, await failWaiting(tx, waiting, outcome.sentence), outcome);
  }
  if ('unheld' in settlement) {
    const { unheld, outcome } = settlement;
    return emitEnded(tx, toList(await failUnheldTransfer(tx, unheld, outcome.sentence, [lastLine(outcome)])), outcome);
  }
  const { attempt, outcome, lines } = settlement;
  switch (outcome.kind) {
    case 'completed':
      return complete(tx, attempt, outcome, lines);
    case 'movedOrCopied':
      return completeDataset(tx, attempt, outcome, lines);
    case 'handedBack':
      return handBack(tx, attempt, outcome, lines);
    default:
      return emitEnded(
        tx,
        toList(await failTransfer(tx, attempt, outcome.sentence, [...lines, lastLine(outcome)])),
        outcome,
      );
  }
}

const toList = <T>(row: T | null) => (row === null ? [] : [row]);

const logLine = (level: LogLine['level'], message: string): LogLine => ({
  time: new Date().toISOString(),
  level,
  message,
});
const lastLine = ({ sentence }: Ending) => logLine('error', sentence);

/** One statement, the event included. */
async function complete(
  tx: Transaction,
  { id, attempt }: Fence,
  { transfer, result }: Completed,
  lines: readonly LogLine[],
): Promise<Settled[]> {
  const { output } = result;
  const made = 'dataset' in output ? output.dataset.id : 'replaced' in output ? output.replaced.datasetId : undefined;
  const datasetId = made === undefined ? {} : { datasetId: made };
  const event = hasEvents(transfer)
    ? finished(transfer, { status: 'Completed', progress: 100, ...datasetId })
    : undefined;
  const completed = await completeTransfer(tx, { id, attempt }, { ...result, lines, event });
  return completed === null ? [] : [{ id, kind: 'completed' }];
}

async function completeDataset(
  tx: Transaction,
  fence: Fence,
  { transfer, datasetId }: MovedOrCopied,
  lines: readonly LogLine[],
): Promise<Settled[]> {
  await completeMoveOrCopy(tx, fence, datasetId, lines);
  const events = viewPerTenant(transfer).map((side) =>
    finished(side, { status: 'Completed', progress: 100, datasetId }),
  );
  await emitAll(tx, events);
  return [{ id: fence.id, kind: 'completed' }];
}

async function emitEnded(tx: Transaction, ended: readonly EndedRow[], { kind, sentence }: Ending): Promise<Settled[]> {
  const events = ended
    .filter(hasEvents)
    .flatMap((transfer) =>
      viewPerTenant(transfer).map((side) =>
        finished(side, { status: 'Error', progress: transfer.progress, errorMessage: sentence }),
      ),
    );
  await emitAll(tx, events);
  return ended.map(({ id }) => ({ id, kind }));
}

/**
 * Makes a transfer wait for another attempt, or ends it if no attempt is left. Enqueues it with a new row: the row that
 * this worker has locked loses its key, and is deleted when the task returns.
 */
async function handBack(
  tx: Transaction,
  fence: Fence,
  { sentence, counts, delay }: HandedBack,
  lines: readonly LogLine[],
): Promise<Settled[]> {
  const why = sentence === undefined ? [] : [logLine('warning', sentence)];
  const released = await releaseTransfer(tx, fence, counts, [...lines, ...why]);
  if (!released) return [];
  const ending = decideEnding(released);
  if (ending !== undefined) return settle(tx, { unheld: released, outcome: ending });
  await (delay ? enqueueLater(tx, released, delay) : enqueueFirst(tx, [released]));
  return [{ id: fence.id, kind: 'handedBack' }];
}
