/** One line of what `platform doctor` and `platform status` tell. */
export interface Check {
  name: string;
  ok: boolean;
  message: string;
  /** What to do. Absent if it is well. */
  mend?: string;
}

/** What a check found. */
export type Result = Omit<Check, 'name'>;

export const well = (message: string): Result => ({ ok: true, message });
export const ill = (message: string, mend: string): Result => ({ ok: false, message, mend });

const LIMIT_MS = 20_000;

/**
 * Runs a check. One that throws, or does not end in time, is not well.
 * @param mend what to do if it throws
 */
export async function runCheck(name: string, mend: string, work: () => Promise<Result>): Promise<Check> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  try {
    return { name, ...(await Promise.race([work(), late])) };
  } catch (error) {
    return { name, ok: false, message: sentenceOf(error), mend };
  } finally {
    clearTimeout(timer);
  }
}

/** The message of an error, or of the first of several, as when a host has two addresses. */
function sentenceOf(error: unknown): string {
  const first = error instanceof AggregateError && error.message === '' ? error.errors[0] : error;
  const message = first instanceof Error ? first.message || first.name : String(first);
  return message
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

export const ms = (duration: number) => `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`;
