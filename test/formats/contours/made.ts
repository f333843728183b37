import type { ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import type { Grid, Slice } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { parseSrid } from '../../../src/files/geo/crs/crs.ts';
import { passed } from '../transformed.ts';

export const NODATA = -9999;

/** Numbers between 0 and 1 that are the same in each run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A grid of one band, unless `more` says otherwise; rows from the north, cells of 10 from (1000, 2000) on. */
export const gridOf = (
  rows: readonly (readonly number[])[],
  more: Partial<Grid> & { valuesAt?: (slice: Slice) => readonly (readonly number[])[] } = {},
): Grid => ({
  kind: 'grid',
  width: rows[0]!.length,
  height: rows.length,
  affine: [1000, 10, 0, 2000, 0, -10],
  crs: parseSrid(25832),
  bands: [{ name: 'depth', type: 'Float64', nodata: NODATA }],
  async *rows(slice) {
    for (const [firstRow, row] of (more.valuesAt?.(slice) ?? rows).entries())
      yield { firstRow, rowCount: 1, samples: Float64Array.from(row) };
  },
  ...more,
});

/** All features that contours make of data. */
export async function contoursOf(
  t: ExecutionContext,
  data: Grid | Mesh,
  contours: object,
  before: object[] = [],
): Promise<{ collection: FeatureCollection; features: Feature[]; lost: string[] }> {
  const features: Feature[] = [];
  let collection: FeatureCollection | undefined;
  const steps = [...before, { type: 'contoursTransformation', contours }];
  const { lost } = await passed<Grid | Mesh | FeatureCollection>(t, data, steps, async (made) => {
    collection = made as FeatureCollection;
    for await (const chunk of collection.chunks()) features.push(...chunk);
  });
  return { collection: collection!, features, lost };
}

export type Point = [x: number, y: number];

export const pointsOf = (coordinates: Float64Array): Point[] =>
  Array.from({ length: coordinates.length / 2 }, (_, n) => [coordinates[2 * n]!, coordinates[2 * n + 1]!]);

export const ringsOf = ({ geometry }: Feature): Point[][] => {
  const { coordinates, parts } = geometry!;
  return Array.from(parts!, (first, n) =>
    pointsOf(coordinates.subarray(2 * first, 2 * (parts![n + 1] ?? coordinates.length / 2))),
  );
};

/** Positive for a ring that runs counter-clockwise. */
export const areaOf = (ring: readonly Point[]): number =>
  ring.slice(1).reduce((sum, [x, y], n) => {
    const [[x0, y0], [px, py]] = [ring[0]!, ring[n]!];
    return sum + ((px - x0) * (y - y0) - (x - x0) * (py - y0)) / 2;
  }, 0);

export const polygonArea = (feature: Feature): number => ringsOf(feature).reduce((sum, ring) => sum + areaOf(ring), 0);
