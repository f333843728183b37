/** Attempts of one transfer, whatever came of each, those that count for nothing otherwise included. */
export const MOST_ATTEMPTS = 50;
/** A transfer that lost this many workers is given back once more; with the next loss it ends. */
const MOST_WORKER_LOSSES = 8;

export const CANCELLED = 'Cancelled.';
export const PROJECT_DELETED = 'The project was deleted.';

/** What decides whether a transfer that no worker runs may wait for another one. */
export interface Prospects {
  attempt: number;
  cancelled: boolean;
  projectDeleted: boolean;
  workerLosses?: number;
}

/** The sentence with which it ends now. Undefined: it may wait. */
export function lastWords({ attempt, cancelled, projectDeleted, workerLosses = 0 }: Prospects): string | undefined {
  if (cancelled) return CANCELLED;
  if (projectDeleted) return PROJECT_DELETED;
  if (workerLosses > MOST_WORKER_LOSSES) return `The workers that ran this transfer were lost ${workerLosses} times.`;
  if (attempt >= MOST_ATTEMPTS)
    return `The transfer was given up after ${MOST_ATTEMPTS} attempts. Its log says what happened; try it again when that is mended.`;
  return undefined;
}
