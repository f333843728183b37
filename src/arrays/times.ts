import { type Indices, stepCount, type TimeAxis, timeOf } from 'hydrofiles/data';
import { AppError, invalidMember } from '../errors.ts';
import type { Timestamp } from '../platform/text/time.ts';
import type { OutputAxis } from './output-axis.ts';

const largest = 8.64e15;

/** Time of a step on the data's clock, in microseconds since 1970. A relative axis counts from 1970. */
function stepMicros(axis: TimeAxis, step: number): number {
  const micros = Math.round(timeOf(axis, step) * 1000);
  const ms = Math.floor(micros / 1000);
  if (Math.abs(ms) <= largest) return micros;
  throw new AppError('unprocessable', `Step ${step} is ${ms} ms after 1970, which is not a time.`);
}

/** Time of a step in the format of the API, to the microsecond. */
export function stepTime(axis: TimeAxis, step: number): Timestamp {
  const micros = stepMicros(axis, step);
  const ms = Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros - ms * 1000).padStart(3, '0')}0`;
}

/** The steps from one time to another, both included. */
export function stepsWithin(axis: TimeAxis, from: Timestamp | undefined, to: Timestamp | undefined): Indices {
  const count = stepCount(axis);
  if (from === undefined && to === undefined) return { first: 0, length: count };
  if (from !== undefined && to !== undefined && from > to)
    throw invalidMember('to', `'to' (${to}) is before 'from' (${from}).`);
  const [least, most] = [
    from === undefined ? -Infinity : parseMicros(from),
    to === undefined ? Infinity : parseMicros(to),
  ];
  const steps: number[] = [];
  for (let step = 0; step < count; step++) {
    const micros = Math.round(timeOf(axis, step) * 1000);
    if (micros >= least && micros <= most) steps.push(step);
  }
  const [first = 0] = steps;
  const together = steps.length === 0 || steps.at(-1)! - first === steps.length - 1;
  return together ? { first, length: steps.length } : Uint32Array.from(steps);
}

const parseMicros = (time: Timestamp): number =>
  Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26));

/** A time without the zeros at the end of its fraction. */
function shortened(time: Timestamp): string {
  let end = time.length;
  while (time[end - 1] === '0') end--;
  return time.slice(0, time[end - 1] === '.' ? end - 1 : end);
}

/** The times of chosen steps; in CoverageJSON they end in Z. */
export function timeAxis(axis: TimeAxis, steps: Indices): OutputAxis {
  const step = (n: number) => (steps instanceof Uint32Array ? steps[n]! : steps.first + n);
  const time = (n: number) => stepTime(axis, step(n));
  return {
    name: 't',
    length: steps.length,
    columns: [
      {
        name: 'time',
        type: 'time',
        number: (n) => stepMicros(axis, step(n)),
        cell: (n) => `"${time(n)}"`,
      },
    ],
    value: (n) => `"${shortened(time(n))}Z"`,
  };
}
