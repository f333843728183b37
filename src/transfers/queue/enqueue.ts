import type { Fragment, Transaction } from '../../db.ts';
import { enqueue, enqueueAll, enqueueFragment } from '../../jobs.ts';
import { DEFAULT_PRIORITY, TRANSFER } from './requirements.ts';

/** The columns of a waiting transfer that its queue row repeats. */
export interface WaitingTransfer<Time = number> {
  id: string;
  flags: readonly string[];
  /** See `virtual-time.queries.ts`. */
  virtualTime: Time;
}

/** Before all transfers that have never started. */
const HIGH_PRIORITY = 5;
/** Priorities of transfers' queue rows; short jobs have priority 0. */
export const TRANSFER_PRIORITIES = [HIGH_PRIORITY, DEFAULT_PRIORITY];

/** Enqueues transfers by virtual time. A transfer has at most one waiting queue row. */
export const enqueueTransfers = (tx: Transaction, waiting: readonly WaitingTransfer[]) =>
  enqueueAll(tx, 'runTransfer', waiting.map(makeJob), DEFAULT_PRIORITY);

/** Enqueues transfers that were started before, or overtaken for too long, ahead of the others. */
export const enqueueFirst = (tx: Transaction, waiting: readonly WaitingTransfer[]) =>
  enqueueAll(tx, 'runTransfer', waiting.map(makeJob), HIGH_PRIORITY);

/** Enqueues a transfer that backs off for `delay` milliseconds; then the sweep gives it a new virtual time. */
export function enqueueLater(tx: Transaction, waiting: WaitingTransfer, delay: number) {
  const { payload, jobKey, flags } = makeJob(waiting);
  return enqueue(tx, 'runTransfer', payload, { jobKey, flags, priority: DEFAULT_PRIORITY, delay });
}

/**
 * Part of a `with` that enqueues a new transfer: `from` is the part that inserts it. Call `notifyAfterCommit` as well.
 */
export const enqueueNew = (waiting: WaitingTransfer<Fragment>, from: Fragment) =>
  enqueueFragment({ name: 'runTransfer', ...makeJob(waiting), priority: DEFAULT_PRIORITY }, from);

const makeJob = <Time>({ id, flags, virtualTime }: WaitingTransfer<Time>) => ({
  jobKey: id,
  payload: { transferId: id },
  flags: [TRANSFER, ...flags],
  virtualTime,
});
