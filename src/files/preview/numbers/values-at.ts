import { offsetOf } from '../../data/time-axis.ts';
import { RequestError } from '../../errors.ts';
import type { IndexedFeatures } from '../features/indexed-features.ts';
import { shortener } from './cells.ts';
import {
  type ItemName,
  itemName,
  itemNumber,
  itemsOf,
  layerNumber,
  type PreviewData,
  refused,
  stepCountOf,
} from './choose.ts';
import { type FeaturesAnswer, featuresAt } from './features-at.ts';
import { checkPlaces, type Place, pointsOf, type ValuesRequest } from './places.ts';
import { type PointValues, planeOf, pointValues } from './plane.ts';
import { stepsWithin, type Times, timesOf } from './times.ts';

/** Values of a grid, a mesh or an array at points, one per step. */
export interface StepsAnswer {
  readonly kind: 'steps';
  /** Absent: data without a time axis, which have one step. */
  readonly time?: Times;
  /** Numbers of the steps. */
  readonly steps: number[];
  readonly items: readonly ItemName[];
  readonly points: readonly {
    readonly point: Place;
    /** Whether the point lies in the data. */
    readonly inside: boolean;
    /** For each item a value per step, null without one. */
    readonly values: (number | null)[][];
  }[];
}

export type ValuesAnswer = StepsAnswer | FeaturesAnswer;

/** Maximum number of values of an answer. */
const mostValues = 10_000;
const mostPoints = 100;

/**
 * Values of the grid cells or mesh elements that contain points (between nodes linear), at the steps of an interval; of
 * features those at the points.
 * @param indexed the same features with an index, which is quicker than reading all of them
 * @throws RequestError for a wrong item, layer, point or time, or too many values
 */
export async function valuesAt(
  data: PreviewData,
  request: ValuesRequest,
  throwIfCancelled: () => void,
  indexed?: IndexedFeatures,
): Promise<ValuesAnswer> {
  const { points } = request;
  checkPlaces(points);
  if (points.length > mostPoints)
    throw new RequestError(`There are ${points.length} points; an answer has at most ${mostPoints}.`);
  if (data.kind === 'features') return featuresAt(data, request, throwIfCancelled, indexed);
  if (data.kind === 'series') throw refused(data, 'values at points');
  const described = itemsOf(data);
  const items = request.items?.map((item) => itemNumber(described, item)) ?? [...described.keys()];
  const steps = stepsWithin(data.time, request);
  checkCount(points.length, items.length, steps.length, stepCountOf(data));
  const made = new Map<string, PointValues>();
  const columns = items.map((item) => {
    const layer = layerNumber(data, item, request.layer);
    const plane = planeOf(data, item, layer, 'values at points');
    const described = plane.data.kind === 'grid' ? plane.data.bands : plane.data.items;
    return { plane, key: data.kind === 'array' ? `${item}` : 'all', shorten: shortener(described[plane.item]!) };
  });
  const values = points.map(() => items.map((): (number | null)[] => []));
  let outside = new Uint8Array(points.length);
  for (const { plane, key } of columns) {
    if (made.has(key)) continue;
    const own = await valuesOfPoints(plane, points);
    made.set(key, own);
    outside = own.outside.slice();
  }
  for (const step of steps)
    for (const [n, { plane, key, shorten }] of columns.entries()) {
      throwIfCancelled();
      const found = await made.get(key)!.at(plane.item, step);
      for (const [k, value] of found.entries()) values[k]![n]!.push(Number.isNaN(value) ? null : shorten(value));
    }
  const { time } = data;
  return {
    kind: 'steps',
    ...(time && {
      time: timesOf(
        time,
        steps.map((step) => offsetOf(time, step)),
      ),
    }),
    steps,
    items: items.map((item) => itemName(described, item)),
    points: points.map((point, n) => ({ point, inside: outside[n] === 0, values: values[n]! })),
  };
}

/** Of a grid each point has its own rows: all rows between two of them would be read else. */
async function valuesOfPoints(
  plane: Parameters<typeof pointValues>[0],
  points: readonly Place[],
): Promise<PointValues> {
  const method = { grid: 'nearest', mesh: 'bilinear' } as const;
  const groups = plane.data.kind === 'grid' ? points.map((point) => [point]) : [points];
  const parts: PointValues[] = [];
  for (const group of groups) parts.push(await pointValues(plane, pointsOf(group), method));
  return {
    outside: Uint8Array.from(parts.flatMap(({ outside }) => [...outside])),
    async at(item, step) {
      const all: number[] = [];
      for (const part of parts) all.push(...(await part.at(item, step)));
      return Float64Array.from(all);
    },
  };
}

function checkCount(points: number, items: number, steps: number, all: number): void {
  const count = points * items * steps;
  if (count <= mostValues) return;
  const many = (n: number, one: string) => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`;
  throw new RequestError(
    `The answer would have ${count.toLocaleString('en')} values (${many(points, 'point')}, ${many(items, 'item')}, ${many(steps, 'step')} of ${all.toLocaleString('en')}); the maximum is ${mostValues.toLocaleString('en')}. Ask for fewer items or points, or a shorter time with from and to.`,
  );
}
