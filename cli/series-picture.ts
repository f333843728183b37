import type { Series as SeriesData, TimeAxis } from 'hydrofiles/data';
import { seriesPicturePng } from 'hydrofiles/pictures';
import { itemOf } from 'hydrofiles/series';
import type { Series } from '../src/series/definitions.ts';

/** A value and its time in milliseconds since 1970. */
export interface SeriesPoint {
  time: number;
  /** NaN: none, the line is interrupted. */
  value: number;
}

/** Draws the values of a time series over time, as PNG. There must be at least one. */
export function seriesPng(series: Series, points: readonly SeriesPoint[], signal: AbortSignal): Promise<Uint8Array> {
  const start = points[0]!.time;
  const offsets = Float64Array.from(points, ({ time }) => time - start);
  const time: TimeAxis = { spacing: 'nonEquidistant', unit: 'millisecond', start, offsets };
  const data: SeriesData = {
    kind: 'series',
    items: [{ ...itemOf(series), type: 'Float64', nodata: Number.NaN }],
    time,
    async *chunks() {
      yield { firstStep: 0, offsets, values: [Float64Array.from(points, ({ value }) => value)] };
    },
  };
  const range = { steps: points.length, first: 0, last: offsets.at(-1)! };
  return seriesPicturePng(data, [0], range, { title: `${series.item.name} (${series.id})` }, signal);
}
