import type { Feature, FeatureCollection, Field } from '../../../data/feature-collection.ts';
import type { Grid } from '../../../data/grid.ts';
import { realValues } from '../../../data/real-values.ts';
import { sliceSamples } from '../../../data/slice-samples.ts';
import { stepsOf } from '../../../data/time-axis.ts';
import type { LinePoints } from '../../../geo/profile/points-along.ts';
import { timeField, timeValue } from '../time-field.ts';

const perChunk = 512;

/** The points of a profile step by step, with the distance along the line, the time and a field per item. */
export function pointFeatures(line: Grid, { x, y }: LinePoints, spacing: number, name: string): FeatureCollection {
  const { time, bands, crs } = line;
  const real = (own: string): Field => ({ name: own, type: 'real' });
  return {
    kind: 'features',
    name,
    ...(crs === undefined ? {} : { crs }),
    fields: [
      real('chainage'),
      ...(time === undefined ? [] : [timeField(time)]),
      ...bands.map((band, n) => real(band.name ?? `Item ${n + 1}`)),
    ],
    hasZ: false,
    hasM: false,
    geometryTypes: ['Point'],
    count: x.length * stepsOf(line),
    async *chunks() {
      for (let step = 0; step < stepsOf(line); step++) {
        const columns: Float64Array[] = [];
        for (const [band, described] of bands.entries())
          columns.push(realValues(await sliceSamples(line, { band, step, layer: 0 }), described));
        const common = time === undefined ? [] : [timeValue(time, step)];
        for (let first = 0; first < x.length; first += perChunk)
          yield Array.from({ length: Math.min(perChunk, x.length - first) }, (_, k): Feature => {
            const n = first + k;
            const values = columns.map((column) => (Number.isNaN(column[n]!) ? null : column[n]!));
            return {
              geometry: { type: 'Point', coordinates: Float64Array.of(x[n]!, y[n]!) },
              values: [n * spacing, ...common, ...values],
            };
          });
      }
    },
  };
}
