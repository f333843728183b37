import type { Db, sql } from '../../db.ts';
import { enqueue, enqueueAll, enqueueing } from '../../jobs.ts';
import { TRANSFER, USUAL } from './requirements.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** What the row of a transfer says of its row in the queue. */
export interface Waiting<Turn = number> {
  id: string;
  flags: readonly string[];
  turn: Turn;
}

/** Before all that have not been started yet: somebody has waited for it already. */
const FIRST = 5;
/** Those that transfers have in the queue; chores have none. */
export const PRIORITIES = [FIRST, USUAL];

/** Puts transfers into the queue, each at its turn; at most one row waits there for each. */
export const wake = (tx: Db, waiting: readonly Waiting[]) => enqueueAll(tx, 'runTransfer', waiting.map(jobOf), USUAL);

/** The same for those that were started before, or that were overtaken for too long. */
export const wakeAgain = (tx: Db, waiting: readonly Waiting[]) =>
  enqueueAll(tx, 'runTransfer', waiting.map(jobOf), FIRST);

/** The same for one after `delay` milliseconds; the sweep gives it a new turn then. */
export function wakeLater(tx: Db, waiting: Waiting, delay: number) {
  const { payload, ...place } = jobOf(waiting);
  return enqueue(tx, 'runTransfer', payload, { ...place, priority: USUAL, delay });
}

/** The same for a new one, in the statement that makes it, whose part `from` has its `turn`; with `callBehind`. */
export const firstWake = (waiting: Waiting<Fragment>, from: Fragment) =>
  enqueueing({ name: 'runTransfer', ...jobOf(waiting), priority: USUAL }, from);

const jobOf = <Turn>({ id, flags, turn }: Waiting<Turn>) => ({
  jobKey: id,
  payload: { transferId: id },
  flags: [TRANSFER, ...flags],
  turn,
});
