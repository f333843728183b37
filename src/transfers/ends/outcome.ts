/** Maximum number of attempts of one transfer, those that were handed back included. */
export const MAX_ATTEMPTS = 50;
/** Maximum number of workers that a transfer may lose; the next loss ends it. */
const MAX_WORKER_LOSSES = 8;

/** The end of a transfer without a result. */
export interface Ending {
  kind: 'failed' | 'cancelled';
  /** The `errorMessage` of the transfer. */
  sentence: string;
}

export const CANCELLED: Ending = { kind: 'cancelled', sentence: 'Cancelled.' };
export const PROJECT_DELETED: Ending = { kind: 'cancelled', sentence: 'The project was deleted.' };
export const failed = (sentence: string): Ending => ({ kind: 'failed', sentence });

/** An attempt that ends without ending the transfer: another worker may run it. */
export interface HandedBack {
  kind: 'handedBack';
  /** Why, for the log. */
  sentence?: string;
  counts: Counts;
  /** Milliseconds until the next attempt; absent: as soon as a worker has capacity. */
  delay?: number;
}

/** Counters of a transfer's row for an attempt that is handed back. */
export interface Counts {
  /** The worker received a stop signal. */
  handedBack?: number;
  childDeaths?: number;
  outages?: number;
}

/** A transfer that no worker runs, as far as it decides whether it may wait. */
export interface Unheld {
  attempt: number;
  cancelled: boolean;
  projectDeleted: boolean;
  workerLosses?: number;
}

/** The end of a transfer that must not wait for another attempt. Undefined: it may wait. */
export function decideEnding({ attempt, cancelled, projectDeleted, workerLosses = 0 }: Unheld): Ending | undefined {
  if (cancelled) return CANCELLED;
  if (projectDeleted) return PROJECT_DELETED;
  if (workerLosses > MAX_WORKER_LOSSES)
    return failed(`The workers that ran this transfer were lost ${workerLosses} times.`);
  if (attempt >= MAX_ATTEMPTS)
    return failed(
      `The transfer was given up after ${MAX_ATTEMPTS} attempts. See its log for the cause, and retry the transfer when the cause is fixed.`,
    );
  return undefined;
}
