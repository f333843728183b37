import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** The time limit of an attempt, and the signal that stops it. */
export interface TimeLimit {
  /** Aborts at a cancel, shutdown and the like, with the reason. */
  signal: AbortSignal;
  /** The limit in milliseconds. */
  whole: number;
  /** Milliseconds that are left, at least one. */
  left(): number;
  /** Work that was abandoned and has not ended. */
  abandoned: Set<Promise<unknown>>;
}

/** How long work may take to end after its signal. A disk or store that hangs does not keep a transfer from ending. */
const GRACE_MS = 1000;
/** Maximum delay of a timer; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the time of an attempt. Its abandoned work is in the set until it ends. */
export function limitTime(signal: AbortSignal, whole: number, abandoned: TimeLimit['abandoned']): TimeLimit {
  const began = performance.now();
  const left = () => Math.max(1, Math.ceil(whole - (performance.now() - began)));
  return { signal, whole, left, abandoned };
}

/**
 * Runs work of the worker itself within the time limit. The work gets a signal that aborts with the attempt or when the
 * time is over; if it does not end within a second, it is abandoned. Throws the attempt's reason, or the sentence
 * `tooLong`.
 */
export async function inTime<Result>(
  { signal, left, abandoned }: TimeLimit,
  tooLong: () => string,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  // not AbortSignal.timeout, whose timer stays for hours after a short transfer
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.min(left(), MAX_TIMER_MS));
  const stop = AbortSignal.any([signal, over.signal]);
  const aborted = Promise.withResolvers<void>();
  stop.addEventListener('abort', () => aborted.resolve(), { once: true });
  const settled = new AbortController();
  const leftBehind = aborted.promise.then(() => sleep(GRACE_MS, undefined, { signal: settled.signal }));
  leftBehind.catch(() => {});
  try {
    const working = work(stop);
    return await Promise.race([
      working,
      leftBehind.then(() => {
        abandoned.add(working);
        const forget = () => void abandoned.delete(working);
        working.then(forget, forget);
        throw new Error('A step of the transfer did not stop after it was aborted.');
      }),
    ]);
  } catch (error) {
    signal.throwIfAborted();
    throw over.signal.aborted ? new AppError('unprocessable', tooLong()) : error;
  } finally {
    // an abort costs the stack trace of its reason
    if (stop.aborted) settled.abort();
    clearTimeout(timer);
  }
}
