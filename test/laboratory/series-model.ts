import type { Series, SeriesItem } from '../../src/files/data/series.ts';
import { offsetOf, stepsOf, type TimeAxis } from '../../src/files/data/time-axis.ts';
import type { Model, Variation } from './model.ts';
import { itemsOf, samplesOf, timeOf, utm32 } from './model-parts.ts';

const hourly: TimeAxis = {
  spacing: 'equidistant',
  unit: 'hour',
  start: Date.UTC(2024, 0, 1),
  count: 3,
  offset: 0,
  interval: 1,
};

function make(wanted: ReadonlySet<Variation>): Series {
  const items = itemsOf(wanted).map(
    (item, n): SeriesItem =>
      wanted.has('dimensions') ? { ...item, position: [500_000 + 100 * n, 5_800_000, -2.5 * (n + 1)] } : item,
  );
  const { time = hourly } = timeOf(wanted);
  const count = stepsOf({ time });
  return {
    kind: 'series',
    ...(wanted.has('crs') ? { crs: utm32 } : {}),
    items,
    time,
    async *chunks() {
      const values = items.map((_, item) => samplesOf(wanted, items, { item, step: 0, count }));
      yield { firstStep: 0, offsets: Float64Array.from({ length: count }, (_, step) => offsetOf(time, step)), values };
    },
  };
}

export const seriesModel: Model = {
  together: [
    'crs',
    'calendar',
    'unit',
    'nodata',
    'precision',
    'order',
    'names',
    'dimensions',
    'quantity',
    'kindOfValue',
  ],
  alone: ['calendar:relative', 'precision:integers'],
  make,
};
