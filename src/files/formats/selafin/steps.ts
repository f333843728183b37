import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { SelafinHeader } from './header.ts';
import { MARKERS } from './records.ts';

/** Steps in the file: each has a record with its time in seconds, and one of each variable with a value per node. */
export interface SelafinSteps {
  readonly seconds: readonly number[];
  /** Offset of the record of a variable. */
  readonly offset: (variable: number, step: number) => number;
}

/** Bytes that are read at a time to find the times of short steps. */
const windowBytes = 1 << 20;

/**
 * Reads the times of all whole steps.
 * @throws FormatError if a step does not begin where the one before ends
 */
export async function readSteps(
  header: SelafinHeader,
  { signal, reportLoss }: Pick<Context, 'signal' | 'reportLoss'>,
): Promise<SelafinSteps> {
  const { records, variables, nodes, type, end } = header;
  const { source } = records;
  const width = type === 'Float32' ? 4 : 8;
  const variableLength = width * nodes + MARKERS;
  const stepLength = width + MARKERS + variables.length * variableLength;
  const count = Math.floor((source.size - end) / stepLength);
  const rest = source.size - end - count * stepLength;
  const perWindow = Math.max(1, Math.floor(windowBytes / stepLength));
  const seconds: number[] = [];
  for (let step = 0; step < count; step += perWindow) {
    signal.throwIfAborted();
    const steps = Math.min(perWindow, count - step);
    const length = (steps - 1) * stepLength + width + MARKERS;
    const window = await source.read(end + step * stepLength, length);
    const own = { size: source.size, read: async (at: number, size: number) => window.subarray(at, at + size) };
    const inWindow = records.of(own);
    for (let n = 0; n < steps; n++) {
      const [time = Number.NaN] = await inWindow.numbers(n * stepLength, 1, type, `the time of step ${step + n}`);
      if (!Number.isFinite(time))
        throw new FormatError(`The time of step ${step + n} is ${time}.`, end + (step + n) * stepLength);
      seconds.push(time);
    }
  }
  if (rest > 0)
    reportLoss(`The file is cut ${rest} bytes after its last whole step. The ${count} whole steps were read.`);
  return {
    seconds,
    offset: (variable, step) => end + step * stepLength + width + MARKERS + variable * variableLength,
  };
}
