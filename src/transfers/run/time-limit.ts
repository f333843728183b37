import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** What bounds an attempt in time. */
export interface TimeLimit {
  /** Of cancel, shutdown and the like; ends with the reason. */
  signal: AbortSignal;
  /** Milliseconds from the claim. */
  whole: number;
  /** Milliseconds that are left, at least one. */
  left(): number;
}

/** For what is asked to end to do so in order; a disk or store that hangs keeps no transfer from ending. */
const GRACE_MS = 1000;
/** A longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time of an attempt begins now. */
export function limitTime(signal: AbortSignal, whole: number): TimeLimit {
  const began = performance.now();
  return { signal, whole, left: () => Math.max(1, Math.ceil(whole - (performance.now() - began))) };
}

/**
 * Runs a part of an attempt that the worker itself does. Its signal tells it to end with the attempt, or when the time is over, and if it
 * has not after a moment it is left behind. Throws the attempt's reason, or the sentence `tooLong`.
 */
export async function inTime<Result>(
  { signal, left }: TimeLimit,
  tooLong: () => string,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  // not AbortSignal.timeout, whose clock goes on for hours after a short transfer
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.min(left(), LONGEST_TIMER_MS));
  const stop = AbortSignal.any([signal, over.signal]);
  const told = Promise.withResolvers<void>();
  stop.addEventListener('abort', () => told.resolve(), { once: true });
  const settled = new AbortController();
  const leftBehind = told.promise.then(() => sleep(GRACE_MS, undefined, { signal: settled.signal }));
  leftBehind.catch(() => {});
  try {
    return await Promise.race([
      work(stop),
      leftBehind.then(() => {
        throw new Error('It did not end when it was told to.');
      }),
    ]);
  } catch (error) {
    signal.throwIfAborted();
    throw over.signal.aborted ? new AppError('unprocessable', tooLong()) : error;
  } finally {
    settled.abort();
    clearTimeout(timer);
  }
}
