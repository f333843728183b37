import type { Item, Samples } from '../../src/files/data/item.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import type { Variation } from './model.ts';

export const utm32 = parseSrid(25832);

/** Three steps that are not evenly apart, one on a leap day, one with a fraction of a second. */
export function timeOf(wanted: ReadonlySet<Variation>): { time?: TimeAxis } {
  if (wanted.has('calendar:relative'))
    return { time: { spacing: 'equidistant', unit: 'second', count: 3, offset: 0, interval: 0.5 } };
  if (!wanted.has('calendar')) return {};
  const start = Date.UTC(2024, 1, 28, 23, 30);
  return { time: { spacing: 'nonEquidistant', unit: 'second', start, offsets: Float64Array.of(0, 3600.25, 86_400) } };
}

const NAMES = ['Wasserstand über NN (m/ü), 100 %', 'a.b:c "d" \\ e', 'x'.repeat(40)];

/** Three items with what the variations ask for. */
export function itemsOf(wanted: ReadonlySet<Variation>): Item[] {
  const items: Item[] = ['C', 'A', 'B'].map((letter, n) => ({
    name: wanted.has('names') ? NAMES[n]! : letter,
    type: 'Float32',
    nodata: -1e-35,
  }));
  const change = (n: number, more: Partial<Item>) => {
    items[n] = { ...items[n]!, ...more };
  };
  if (wanted.has('unit')) {
    change(0, { unit: 'm', eum: { item: 100_078, unit: 1000 } });
    change(1, { unit: 'NTU' });
  }
  if (wanted.has('quantity')) change(0, { unit: 'm', eum: { item: 100_078, unit: 1000 } });
  if (wanted.has('kindOfValue')) change(1, { valueKind: 'stepAccumulated' });
  if (wanted.has('nodata')) change(1, { nodata: -9999 });
  if (wanted.has('precision')) change(2, { type: 'Float64', nodata: -1e-255 });
  if (wanted.has('precision:integers')) change(2, { type: 'Int32', nodata: -2_147_483_648 });
  return items;
}

/** A value of its own for each place and step of an item, some of them missing or usual delete values of formats. */
export function samplesOf(
  wanted: ReadonlySet<Variation>,
  items: readonly Item[],
  { item, step, layer = 0, count }: { item: number; step: number; layer?: number; count: number },
): Samples {
  const { nodata = 0, type } = items[item]!;
  const values = Array.from({ length: count }, (_, place) => {
    const value = 1000 * item + 100 * step + 20 * layer + ((place * 7) % count) + 1;
    if (wanted.has('nodata') && place === 1 + step) return nodata;
    if (wanted.has('nodata') && place === 0) return [-9999, 0, -1][item]!;
    if (wanted.has('precision') && item === 2) return value + 1 / 3;
    return wanted.has('precision:integers') && item === 2 ? 16_777_217 + value : value;
  });
  if (type === 'Float64') return Float64Array.from(values);
  return type === 'Int32' ? Int32Array.from(values) : Float32Array.from(values);
}
