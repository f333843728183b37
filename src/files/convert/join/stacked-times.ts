import { clockText } from '../../data/date-text.ts';
import {
  MILLISECONDS,
  type PulledAxis,
  stepCount,
  type TimeAxis,
  type TimeUnit,
  timeOf,
} from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { dateInName } from './file-date.ts';
import type { InputFiles } from './input-files.ts';
import { TIME_TOLERANCE } from './same-place.ts';

/** Maximum number of steps; each is held in memory. */
const MOST_STEPS = 2 ** 22;
/** Relative deviation of equidistant steps that is rounding. */
const ROUNDING = 1e-6;

/** A step of the stack: a step of a file. */
export interface StackedStep {
  file: number;
  step: number;
  /** Milliseconds since 1970 on the data's clock, or since the start of a relative axis. */
  time: number;
}

/** Collects the steps of all files. */
export class StackedTimes {
  readonly #files: InputFiles;
  readonly #steps: StackedStep[] = [];
  #unit: TimeUnit | undefined;
  #relative: boolean | undefined;

  constructor(files: InputFiles) {
    this.#files = files;
  }

  /**
   * Adds the steps of a file: with the times inside it, else with the date in its name.
   * @throws ConversionError for a file without either
   */
  add(file: number, axis: TimeAxis | PulledAxis | undefined): void {
    if (axis?.spacing === 'pulled')
      throw new ConversionError('Its times are known only after they were read, so they cannot be sorted.');
    const count = axis === undefined ? 1 : stepCount(axis);
    if (this.#steps.length + count > MOST_STEPS)
      throw new ConversionError(`With it there are more than ${MOST_STEPS} steps, the maximum.`);
    const inName = axis?.start === undefined ? dateInName(this.#files.name(file)) : undefined;
    if (axis === undefined && inName === undefined)
      throw new ConversionError('It has no time inside, and no date in its name such as 20260124_0600 or 2026-01-24.');
    const relative = axis?.start === undefined && inName === undefined;
    this.#relative ??= relative;
    if (relative !== this.#relative)
      throw new ConversionError(
        `Its times are ${relative ? 'relative to an unknown start' : 'dates'}, and those of the files before ${relative ? 'dates' : 'relative to an unknown start'}.`,
      );
    this.#unit ??= axis?.unit;
    for (let step = 0; step < count; step++)
      this.#steps.push({ file, step, time: (inName ?? 0) + (axis === undefined ? 0 : timeOf(axis, step)) });
  }

  /**
   * All steps in the order of their times, and their axis.
   * @throws ConversionError if two times are equal
   */
  sort(): { steps: readonly StackedStep[]; time: TimeAxis } {
    const steps = this.#steps.sort((one, other) => one.time - other.time);
    for (const [n, { file, time }] of steps.entries()) {
      const before = steps[n - 1];
      if (before === undefined || time - before.time > TIME_TOLERANCE) continue;
      const at = this.#relative ? `${time} ms` : clockText(time);
      throw new ConversionError(
        `${this.#files.name(before.file)} and ${this.#files.name(file)} both have a step at ${at}.`,
      );
    }
    return { steps, time: axisOf(steps, this.#unit ?? 'second', this.#relative ?? false) };
  }
}

/** Equidistant if the steps are evenly spaced. */
function axisOf(steps: readonly StackedStep[], given: TimeUnit, relative: boolean): TimeAxis {
  // months and years of EUM have a fixed length, which dates do not have
  const unit = given === 'month' || given === 'year' ? 'day' : given;
  const start = relative ? 0 : (steps[0]?.time ?? 0);
  const offsets = Float64Array.from(steps, ({ time }) => (time - start) / MILLISECONDS[unit]);
  const clock = { unit, ...(relative ? {} : { start }) };
  const [offset = 0, second = offset] = offsets;
  const interval = second - offset;
  const even = offsets.every((one, n) => Math.abs(one - offset - n * interval) <= ROUNDING * interval);
  return even && offsets.length > 1
    ? { ...clock, spacing: 'equidistant', count: offsets.length, offset, interval }
    : { ...clock, spacing: 'nonEquidistant', offsets };
}
