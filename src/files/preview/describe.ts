import type { Crs } from '../data/crs-reference.ts';
import { microClockText } from '../data/date-text.ts';
import type { Item } from '../data/item.ts';
import { stepsOf, type TimeAxis, timeOf } from '../data/time-axis.ts';
import { sridOf } from '../geo/crs/crs.ts';
import type { GeographicExtent } from '../geo/crs/geographic-extent.ts';
import { coloursOfUnit } from '../tiles/raster/ramp.ts';
import type { DrawnData } from './drawn-data.ts';
import { OWN_COLOURS, type PreviewDescription, type PreviewItem, type PreviewScheme } from './preview.ts';
import { deepestLevel } from './raster/base-level.ts';
import type { Raster } from './raster/raster.ts';
import { colourRange, dataCount, rangeOf, type SampledRange } from './value-range.ts';
import { vectorPairs } from './vector-pairs.ts';

/** Steps whose data are counted at most, and values that are read for it. */
const MOST_STEPS = 20;
const MOST_COUNTED = 1 << 24;
/** If so many steps have equally many data, all have: the same cells are land in each. */
const ENOUGH_EQUAL = 4;
/** Values that are read at most for the ranges of all items. */
const MOST_RANGED = 1 << 24;

export function itemName({ name }: Pick<Item, 'name'>, number: number, kind: DrawnData['kind']): string {
  if (name !== undefined && name !== '') return name;
  return `${kind === 'grid' ? 'Band' : 'Item'} ${number + 1}`;
}

/** Describes a grid or mesh; without a raster, `reason` says why. */
export async function describeDrawn(
  data: DrawnData,
  raster: Raster | undefined,
  reason: string | undefined,
): Promise<PreviewDescription> {
  const items = data.kind === 'grid' ? data.bands : data.items;
  const common = {
    kind: data.kind,
    ...sridMember(data.crs),
    cells: data.kind === 'grid' ? data.width * data.height : data.shapes.length,
  };
  const number = items.findIndex((_, n) => raster?.hasValues(n) ?? true);
  if (raster === undefined || number < 0) {
    const hasFaces = raster !== undefined && data.kind === 'mesh';
    return {
      ...common,
      ...bboxMember(raster?.extent),
      items: items.map((item, n) => itemOf(item, n, data.kind)),
      steps: stepsMember(data.time, stepsOf(data), 0),
      layers: { count: raster?.layers ?? 1 },
      scheme: schemeOf('0', items[0]?.unit, undefined),
      tiles: { raster: false, values: false, vector: hasFaces },
      reason: reason ?? 'No item has one value per place.',
      deepest: raster === undefined ? 0 : deepestLevel(raster.base),
    };
  }
  const layer = raster.layers - 1;
  const { step: best, values: ofBest } = await bestStep(data, raster, { item: number, layer });
  const ranges = new Map<number, SampledRange | undefined>();
  let read = 0;
  for (const n of [number, ...items.keys()]) {
    if (ranges.has(n) || !raster.hasValues(n) || read >= MOST_RANGED) continue;
    const values = n === number && ofBest ? ofBest : await raster.sample(n, { step: best, layer });
    read += values.length;
    ranges.set(n, rangeOf(values));
  }
  const pairs = vectorPairs(items);
  const list = items.map((item, n): PreviewItem => {
    const range = ranges.get(n);
    const partner = pairs.get(n);
    return {
      ...itemOf(item, n, data.kind),
      ...(range && { min: range.min, max: range.max }),
      ...(partner === undefined ? {} : { vector: String(partner) }),
    };
  });
  const own: PreviewItem = { id: OWN_COLOURS, name: 'Colors' };
  return {
    ...common,
    ...bboxMember(raster.extent),
    items: raster.hasColours ? [own, ...list] : list,
    steps: stepsMember(data.time, stepsOf(data), best),
    layers: {
      count: raster.layers,
      ...(raster.layers > 1 && { ids: Array.from({ length: raster.layers }, (_, n) => n) }),
      ...(raster.layerHeights && { heights: raster.layerHeights }),
    },
    scheme: raster.hasColours
      ? { item: OWN_COLOURS, colors: [], min: 0, max: 255, log: false }
      : schemeOf(String(number), items[number]!.unit, ranges.get(number)),
    tiles: { raster: true, values: true, vector: true },
    ...(raster.coarsest !== undefined && { coarsest: raster.coarsest }),
    deepest: deepestLevel(raster.base),
  };
}

const itemOf = (item: Item, number: number, kind: DrawnData['kind']): PreviewItem => ({
  id: String(number),
  name: itemName(item, number, kind),
  ...(item.unit === undefined ? {} : { unit: item.unit }),
});

export function schemeOf(item: string, unit: string | undefined, range: SampledRange | undefined): PreviewScheme {
  return { item, colors: [...coloursOfUnit(unit)], ...colourRange(range), log: false };
}

interface BestStep {
  readonly step: number;
  readonly data: number;
  /** Absent if no step has data. */
  readonly values?: ArrayLike<number>;
}

/** The step with most data among some that are spread evenly, with the first and the last; the last of equals. */
async function bestStep(
  data: DrawnData,
  raster: Raster,
  { item, layer }: { item: number; layer: number },
): Promise<BestStep> {
  const last = Math.max(0, stepsOf(data) - 1);
  let best: BestStep = { step: last, data: 0 };
  let [read, equal, most] = [0, 1, Math.min(MOST_STEPS, stepsOf(data))];
  for (let n = 0; n < most; n++) {
    // Those that are read first are spread over all steps, too.
    const step = n === 0 ? last : Math.round(last * (1 - spread(n)));
    const values = await raster.sample(item, { step, layer });
    const found = dataCount(values);
    if (n > 0 && equal === n && found === best.data) equal++;
    if (found > best.data || (found === best.data && found > 0 && step > best.step))
      best = { step, data: found, values };
    read += values.length;
    const isEnough = equal >= ENOUGH_EQUAL && found > 0;
    if (isEnough || found === values.length || read >= MOST_COUNTED) most = 0;
  }
  return best;
}

/** The first terms of the sequence of van der Corput, from 0 to 1: 1, 1/2, 1/4, 3/4, 1/8 … */
function spread(n: number): number {
  if (n === 1) return 1;
  let [value, base] = [0, 0.5];
  for (let rest = n - 1; rest > 0; rest >>= 1, base /= 2) if (rest & 1) value += base;
  return value;
}

export function stepsMember(time: TimeAxis | undefined, count: number, best: number): PreviewDescription['steps'] {
  return {
    count,
    ...(time && count > 0 && { first: microClockText(timeOf(time, 0)), last: microClockText(timeOf(time, count - 1)) }),
    ...(time && count > 1 && spacingMember(time, count)),
    best,
  };
}

/** Steps whose times are listed at most. */
const MOST_TIMES = 10_000;

function spacingMember(time: TimeAxis, count: number): { spacing?: number; times?: string[] } {
  const first = timeOf(time, 0);
  const spacing = (timeOf(time, count - 1) - first) / (count - 1);
  // to the millisecond, as formats with offsets of single precision have them
  const isEven = (n: number) => Math.abs(timeOf(time, n) - first - n * spacing) < 1;
  if (time.spacing === 'equidistant' || Array.from({ length: count }, (_, n) => n).every(isEven))
    return { spacing: spacing / 1000 };
  return count > MOST_TIMES ? {} : { times: Array.from({ length: count }, (_, n) => microClockText(timeOf(time, n))) };
}

export function sridMember(crs: Crs | undefined): { srid?: string } {
  const srid = crs && sridOf(crs);
  return srid === undefined ? {} : { srid };
}

export function bboxMember(extent: GeographicExtent | undefined): Pick<PreviewDescription, 'bbox'> {
  if (extent === undefined) return {};
  const { west, south, east, north } = extent;
  return { bbox: [west, south, east > 180 ? east - 360 : east, north] };
}
