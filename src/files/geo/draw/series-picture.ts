import { clockText } from '../../data/date-text.ts';
import type { ValueKind } from '../../data/item.ts';
import { realValues } from '../../data/real-values.ts';
import type { Series, SeriesItem } from '../../data/series.ts';
import { MILLISECONDS } from '../../data/time-axis.ts';
import { chartColumns, chartPng, maxLines, maxPanels, type Panel } from './chart.ts';
import { Curve, type Joint } from './curve.ts';
import type { Heading } from './figure.ts';
import { numberText, ticksBetween, timeTicks } from './ticks.ts';
import { printedUnit } from './units.ts';

/** Number of steps, and the first and last offset of the time axis. */
export interface SeriesRange {
  readonly steps: number;
  readonly first: number;
  readonly last: number;
}

/** Values of accumulations and means hold for the interval before or after their time. */
const joints: Readonly<Partial<Record<ValueKind, Joint>>> = {
  stepAccumulated: 'before',
  meanStepBackward: 'before',
  meanStepForward: 'after',
};

interface Drawn {
  readonly item: SeriesItem;
  readonly name: string;
  readonly curve: Curve;
  low: number;
  high: number;
}

/** Draws items over time, one panel per unit. Memory holds the picture and one chunk of values. */
export async function seriesPicturePng(
  series: Series,
  items: readonly number[],
  { steps, first, last }: SeriesRange,
  { title, side }: Pick<Heading, 'title' | 'side'>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const shown = withRoom(series, items);
  const range = { low: first, high: last };
  const drawn = new Map<number, Drawn>();
  for (const n of shown) {
    const item = series.items[n]!;
    const curve = new Curve(range, steps, chartColumns, joints[item.valueKind ?? 'instantaneous']);
    drawn.set(n, { item, name: item.name ?? `Item ${n}`, curve, low: Infinity, high: -Infinity });
  }
  for await (const { offsets, values } of series.chunks()) {
    signal.throwIfAborted();
    for (const [n, line] of drawn) addTo(line, offsets, realValues(values[n]!, line.item));
  }
  const { start, unit } = series.time;
  const time = (offset: number) => (start ?? 0) + offset * MILLISECONDS[unit];
  const left = items.length - shown.length;
  const subtitle = [
    start === undefined
      ? `${first} to ${last} ${unit}s`
      : `${clockText(time(first))} to ${clockText(time(last))}`.replaceAll('T', ' '),
    steps === 1 ? '1 step' : `${numberText(steps)} steps`,
    ...(left > 0 ? [`${shown.length} of ${items.length} items`] : []),
  ].join('  ·  ');
  const ticks = (most: number) =>
    start === undefined
      ? ticksBetween(first, last, most)
      : timeTicks(time(first), time(last), most).map(({ value, label }) => ({
          label,
          value: (value - start) / MILLISECONDS[unit],
        }));
  const name = start === undefined ? `Time in ${unit}s` : undefined;
  return chartPng({ title, subtitle, side, x: { ...range, name, ticks }, panels: panelsOf([...drawn.values()]) });
}

function addTo(line: Drawn, offsets: Float64Array, values: Float64Array): void {
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    line.curve.add(offsets[n]!, value);
    if (value < line.low) line.low = value;
    if (value > line.high) line.high = value;
  }
}

/** The first items that the picture has room for, grouped by unit. */
function withRoom(series: Series, items: readonly number[]): number[] {
  const perUnit = new Map<string, number>();
  return items.filter((n) => {
    const unit = series.items[n]!.unit ?? '';
    const count = perUnit.get(unit) ?? 0;
    if (count === maxLines || (count === 0 && perUnit.size === maxPanels)) return false;
    perUnit.set(unit, count + 1);
    return true;
  });
}

function panelsOf(drawn: readonly Drawn[]): Panel[] {
  return [...Map.groupBy(drawn, ({ item }) => item.unit)].map(([unit, lines]) => {
    const shared = sharedQuantity(lines.map(({ name }) => name));
    const printed = unit === undefined ? '' : printedUnit(unit);
    return {
      unit: shared === '' ? printed || undefined : [shared, printed].filter((one) => one !== '').join(' · '),
      low: Math.min(...lines.map(({ low }) => low)),
      high: Math.max(...lines.map(({ high }) => high)),
      lines: lines.map(({ name, curve }) => ({
        name: shared === '' ? name : name.slice(shared.length + 2),
        pieces: curve.pieces(),
      })),
    };
  });
}

/**
 * Text before the first comma that all names share (series of one quantity at several stations); empty for one name.
 */
function sharedQuantity(names: readonly string[]): string {
  const quantity = names[0]!.split(', ', 1)[0]!;
  return names.length > 1 && names.every((name) => name.startsWith(`${quantity}, `)) ? quantity : '';
}
