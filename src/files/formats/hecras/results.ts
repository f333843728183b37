import type { Dataset } from 'h5wasm';
import type { TimeAxis } from '../../data/time-axis.ts';
import { secondsAxis } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import { guarded } from '../io/hdf5/library.ts';
import { shown } from '../io/zip.ts';
import { type Hdf5Values, numbersOf, shapeOf } from './hdf5-values.ts';

const SERIES = '/Results/Unsteady/Output/Output Blocks/Base Output/Unsteady Time Series';

export const resultPath = (area: string, name: string): string => `${SERIES}/2D Flow Areas/${area}/${name}`;

const seconds: Readonly<Record<string, number>> = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };

/** The times of the results; undefined for a file without results. */
export function timesOf(file: Hdf5Values): TimeAxis | undefined {
  const path = `${SERIES}/Time`;
  if (!file.has(path)) return undefined;
  const { values } = file.table(path, 1);
  const declared = file.attribute(path, 'Time') ?? file.attribute(path, 'Variables')?.replace(/^Time\|/, '') ?? 'Hours';
  const unit = seconds[declared.trim().toLowerCase()];
  if (unit === undefined) throw new FormatError(`Times have the unit '${shown(declared)}', which is not known.`);
  // Parts of days are not exact; results have whole milliseconds.
  const all = Array.from(values, (time) => Math.round(time * unit * 1000) / 1000);
  if (!all.every(Number.isFinite)) throw new FormatError('A time of the results is not a number.');
  const [stamp] = file.texts(`${SERIES}/Time Date Stamp`) ?? [];
  const first = stamp === undefined ? undefined : dateOf(stamp);
  const axis = secondsAxis(all);
  return first === undefined ? axis : { ...axis, start: first - Math.round((all[0] ?? 0) * 1000) };
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A date such as `02SEP2018 24:00:00`, the end of that day; undefined for another text. */
function dateOf(text: string): number | undefined {
  const [, day, month = '', year, hour, minute, second] =
    /^(\d{1,2})([A-Za-z]{3})(\d{4})[ ,]+(\d{1,2}):?(\d\d)(?::(\d\d(?:[.:]\d+)?))?$/.exec(text.trim()) ?? [];
  const number = months.indexOf(month.toUpperCase());
  if (day === undefined || number < 0 || Number(hour) > 24) return undefined;
  const time = Date.UTC(Number(year), number, Number(day), Number(hour), Number(minute));
  return time + Math.round(Number((second ?? '0').replace(':', '.')) * 1000);
}

/** Values that are decoded at a time. */
const valuesAtOnce = 1 << 24;

/** A dataset of results, `[step, place]`. Keeps the steps of its last chunk, which are decoded together. */
export class StepTable {
  readonly #dataset: Dataset;
  readonly #path: string;
  readonly #places: number;
  readonly #steps: number;
  readonly #perRead: number;
  #kept: { first: number; values: ReturnType<typeof numbersOf> } | undefined;

  /** @throws FormatError for other lengths than those of the mesh and of the times */
  constructor(dataset: Dataset, path: string, steps: number, places: number) {
    const shape = shapeOf(dataset);
    if (shape.length !== 2 || shape[0] !== steps || shape[1] !== places)
      throw new FormatError(
        `The dataset '${shown(path)}' has the shape ${shape.join(' × ')} instead of ${steps} × ${places}.`,
      );
    const { chunks } = guarded(() => dataset.metadata);
    this.#dataset = dataset;
    this.#path = path;
    this.#steps = steps;
    this.#places = places;
    this.#perRead = Math.max(1, Math.min(chunks?.[0] ?? 1, Math.floor(valuesAtOnce / Math.max(1, places))));
  }

  values(step: number): ReturnType<typeof numbersOf> {
    const first = step - (step % this.#perRead);
    if (this.#kept?.first !== first) {
      const end = Math.min(this.#steps, first + this.#perRead);
      const read = guarded(() =>
        this.#dataset.slice([
          [first, end],
          [0, this.#places],
        ]),
      );
      this.#kept = { first, values: numbersOf(read, this.#path, (end - first) * this.#places) };
    }
    const at = (step - first) * this.#places;
    return this.#kept.values.subarray(at, at + this.#places);
  }
}
