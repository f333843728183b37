import { type Indices, newValues, type StoredValues } from 'hydrofiles/data';
import { AppError, invalidMember } from '../errors.ts';
import type { Timestamp } from '../platform/text/time.ts';
import {
  EXPORT_INSTEAD,
  mostChunkBytes,
  mostRead,
  mostValues,
  tooManyBytes,
  tooManyRead,
  tooManyValues,
} from './limits.ts';
import type { OutputAxis } from './output-axis.ts';
import { selectCells } from './select-cells.ts';
import { type ChosenPlaces, selectPlaces } from './select-places.ts';
import type { Choice, Selection } from './selection.ts';
import type { OpenDataset } from './stores.ts';
import { stepsWithin, timeAxis } from './times.ts';
import type { Variable } from './variables.ts';

/** Chunks are decoded in memory, several at a time. */
const largestChunk = 2 ** 26;

export interface ValuesWish extends Choice {
  /** Ids or names; absent: all. */
  readonly items?: readonly string[];
  readonly from?: Timestamp | undefined;
  readonly to?: Timestamp | undefined;
}

/** Items with the same coordinates, and their values. */
export interface Coverage {
  readonly shape: Selection['shape'];
  /** Whether time is one of the axes. */
  readonly timed: boolean;
  readonly axes: readonly OutputAxis[];
  readonly shared: readonly OutputAxis[];
  readonly selection: Selection;
  /** Chosen steps; absent: the values have no times. */
  readonly steps?: Indices;
  readonly ranges: readonly { readonly variable: Variable; readonly values: StoredValues }[];
}

interface Plan {
  readonly variable: Variable;
  readonly selection: Selection;
  readonly steps: Indices | undefined;
}

/** Reads what a request asks for; refuses too much before it reads. */
export async function readCoverages(dataset: OpenDataset, wish: ValuesWish, signal: AbortSignal): Promise<Coverage[]> {
  const known: ChosenPlaces = new Map();
  const plans = chosenVariables(dataset, wish.items).map((variable) => planQuery(dataset, variable, wish, known));
  if ((wish.from ?? wish.to) !== undefined && plans.every(({ steps }) => steps === undefined))
    throw invalidMember(wish.from === undefined ? 'to' : 'from', 'The values have no times.');
  checkSize(plans);
  const groups = new Map<string, { plan: Plan; ranges: Coverage['ranges'][number][] }>();
  for (const plan of plans) {
    const { variable } = plan;
    const values = await readPlan(plan, signal);
    const { dimensions, timed, location } = variable;
    const key = JSON.stringify([
      timed,
      location,
      dimensions.map((one) => [one.role, 'axis' in one && one.axis.name, 'axis' in one && one.axis.values.length]),
    ]);
    const group = groups.get(key) ?? { plan, ranges: [] };
    group.ranges.push({ variable, values });
    groups.set(key, group);
  }
  return [...groups.values()].map(({ plan: { selection, steps }, ranges }) => {
    const time = steps === undefined ? [] : [timeAxis(dataset.data.time!, steps)];
    return {
      shape: selection.shape,
      timed: steps !== undefined,
      axes: [...time, ...selection.axes],
      shared: selection.shared,
      selection,
      ...(steps === undefined ? {} : { steps }),
      ranges,
    };
  });
}

function chosenVariables({ variables }: OpenDataset, wanted: readonly string[] | undefined): readonly Variable[] {
  if (wanted === undefined) return variables;
  const chosen = wanted.map((name) => {
    const found =
      variables.find(({ id }) => id === name) ??
      variables.find(({ item }) => item.name === name) ??
      variables.find(({ item }) => item.name?.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    const some = variables.slice(0, 20).map(({ id }) => id);
    throw invalidMember(
      'item',
      `There is no item '${name.slice(0, 100)}'. The items are ${some.join(', ')}${variables.length > 20 ? ' …' : ''}.`,
    );
  });
  return [...new Set(chosen)];
}

function planQuery(dataset: OpenDataset, variable: Variable, wish: ValuesWish, known: ChosenPlaces): Plan {
  const { data, cells, places } = dataset;
  const selection =
    places === undefined ? selectCells(variable, cells, wish) : selectPlaces(variable, places, wish, known);
  const steps = variable.timed ? stepsWithin(data.time!, wish.from, wish.to) : undefined;
  return { variable, selection, steps };
}

const countValues = (indices: readonly Indices[]): number => indices.reduce((size, { length }) => size * length, 1);

const indicesOf = ({ selection, steps }: Plan): readonly Indices[] =>
  steps === undefined ? selection.indices : [steps, ...selection.indices];

function checkSize(plans: readonly Plan[]): void {
  for (const { variable } of plans)
    if (variable.array.chunkBytes > largestChunk)
      throw new AppError(
        'tooLarge',
        `The chunks of '${variable.id}' have ${variable.array.chunkBytes} bytes. Queries work on chunks of up to ${largestChunk}. Instead, ${EXPORT_INSTEAD}.`,
      );
  let [values, read, bytes] = [0, 0, 0];
  for (const plan of plans) {
    const { steps, selection, variable } = plan;
    values += (steps?.length ?? 1) * selection.axes.reduce((size, { length }) => size * length, 1);
    read += countValues(indicesOf(plan));
    // Sizes first: the chunks of too many values would take long to count.
    if (read <= mostRead) bytes += variable.array.bytesFor(indicesOf(plan));
  }
  if (values > mostValues) throw tooManyValues(values);
  if (read > mostRead) throw tooManyRead(read);
  if (bytes > mostChunkBytes) throw tooManyBytes(bytes);
}

async function readPlan(plan: Plan, signal: AbortSignal): Promise<StoredValues> {
  const indices = indicesOf(plan);
  const values = await plan.variable.array.select(indices, signal);
  const { kept } = plan.selection;
  if (kept === undefined) return values;
  const window = countValues(indices.slice(-2));
  const rows = window === 0 ? 0 : values.length / window;
  const picked = newValues(plan.variable.array.metadata.type, rows * kept.length);
  for (let row = 0; row < rows; row++)
    for (let n = 0; n < kept.length; n++) picked[row * kept.length + n] = values[row * window + kept[n]!] as never;
  return picked;
}
