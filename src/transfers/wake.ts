import type { Db } from '../db.ts';
import type { JobOptions } from '../jobs.ts';
import { enqueue, enqueueing } from '../jobs.ts';
import { TRANSFER, USUAL } from './needs.ts';

/** What the row of a transfer says of its row in the queue. */
export interface Waiting<Turn = number> {
  id: string;
  flags: readonly string[];
  turn: Turn;
}

/** Before all that have not been started yet: somebody has waited for it already. */
const FIRST = 5;

/** Puts a transfer into the queue, at its turn; at most one row waits there for it. */
export const wake = (tx: Db, waiting: Waiting) => put(tx, waiting, { priority: USUAL });

/** The same for one that was started before, or that was overtaken for too long. */
export const wakeAgain = (tx: Db, waiting: Waiting) => put(tx, waiting, { priority: FIRST });

/** The same after `delay` milliseconds; the sweep gives it a new turn then. */
export const wakeLater = (tx: Db, waiting: Waiting, delay: number) => put(tx, waiting, { priority: USUAL, delay });

/** The same for a new one, in the `from` of the statement that makes it. */
export const firstWake = (waiting: Waiting<NonNullable<JobOptions['turn']>>) =>
  enqueueing('runTransfer', { transferId: waiting.id }, { ...placeOf(waiting), priority: USUAL, freshKey: true });

const put = (tx: Db, waiting: Waiting, options: JobOptions) =>
  enqueue(tx, 'runTransfer', { transferId: waiting.id }, { ...placeOf(waiting), ...options });

const placeOf = ({ id, flags, turn }: Waiting<NonNullable<JobOptions['turn']>>) => ({
  jobKey: id,
  flags: [TRANSFER, ...flags],
  turn,
});
