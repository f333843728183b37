import type { MultidimensionalItem, ValueTable } from './answers.ts';
import type { Api } from './api.ts';
import { type Series, unitOf } from './series-table.ts';
import type { MapScheme } from './tile-grid.ts';
import { valueAt } from './tile-source.ts';
import type { TileStore } from './tile-store.ts';

/** Steps of tiles that a chart reads: each is a request. */
const MOST_STEPS = 500;
const AT_ONCE = 6;

/** The values of a multidimensional dataset at a point. @throws Refused outside of the data */
export async function storedSeries(
  api: Api,
  datasetId: string,
  item: MultidimensionalItem,
  [longitude, latitude]: readonly [number, number],
  { layer, signal }: { layer?: number; signal: AbortSignal },
): Promise<Series> {
  const query = new URLSearchParams({ item: item.id, point: `${longitude},${latitude}`, crs: 'CRS84' });
  if (layer !== undefined) query.set('layer', String(layer));
  const table = await api.json<ValueTable>(`api/md/dataset/${datasetId}/values?${query}`, signal);
  const time = table.columns.indexOf('time');
  const value = table.columns.indexOf(item.id);
  const unit = unitOf(item.unitSymbol);
  return {
    title: item.name ?? item.id,
    ...(unit === undefined ? {} : { unit }),
    times: table.data.map((row, n) => (time < 0 ? String(n) : String(row[time]))),
    values: table.data.map((row) => (typeof row[value] === 'number' ? row[value] : undefined)),
    source: 'Values of the cell, as they are stored.',
  };
}

/** The values of all steps of tiles at a point, in the finest level. */
export async function tileSeries(
  store: TileStore,
  from: MapScheme,
  stamps: readonly string[],
  point: readonly [number, number],
  { layer, signal, progress }: { layer: number; signal: AbortSignal; progress(done: number, all: number): void },
): Promise<Series> {
  const every = Math.ceil(stamps.length / MOST_STEPS);
  const steps = stamps.flatMap((_, step) => (step % every === 0 ? [step] : []));
  const values = new Array<number | undefined>(steps.length);
  let [next, done] = [0, 0];
  const work = async () => {
    while (next < steps.length) {
      const n = next++;
      values[n] = await valueAt(store, from, { step: steps[n]!, layer }, point, { signal });
      progress(++done, steps.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { scheme } = from;
  const exact = scheme.outputType === 'RawData';
  const { minValue, maxValue } = scheme;
  return {
    title: scheme.itemName,
    ...(scheme.unit === undefined ? {} : { unit: scheme.unit }),
    ...(exact || minValue === undefined || maxValue === undefined
      ? {}
      : { estimatedIn: [minValue, maxValue] as const }),
    times: steps.map((step) => stamps[step]!),
    values,
    source: [
      exact ? 'Values of the pixel in the finest tiles' : 'Estimated from the colours of the finest tiles',
      every > 1 ? `, every ${every}th step of ${stamps.length}.` : '.',
    ].join(''),
  };
}
