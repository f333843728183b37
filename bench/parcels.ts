import type { Feature, FeatureCollection, Geometry } from '../src/files/data/feature-collection.ts';

/** Polygons in rows of `side` (BENCH_SIDE), each of 12 corners, about 1.4 km from the next. */
export const side = Number(process.env.BENCH_SIDE ?? 450);
export const [west, south, across, up] = [5, 45, 0.02, 0.014];

/** A polygon of 12 corners, which takes nine tenths of its place. */
export function parcelAt([x, y]: [number, number], [width, height]: [number, number]): Geometry {
  const coordinates = Float64Array.from({ length: 26 }, (_, i) => {
    const angle = (2 * Math.PI * ((i >> 1) % 12)) / 12;
    return i % 2 === 0 ? x + 0.45 * width * Math.cos(angle) : y + 0.45 * height * Math.sin(angle);
  });
  return { type: 'Polygon', coordinates, parts: new Uint32Array(1) };
}

function* rows(): Generator<readonly Feature[]> {
  for (let row = 0; row < side; row++)
    yield Array.from({ length: side }, (_, column): Feature => {
      const [x, y] = [west + (column + 0.5) * across, south + (row + 0.5) * up];
      const n = row * side + column;
      const values = [n, `parcel ${n}`, n * 1.5, ['field', 'wood', 'water'][n % 3]];
      return { values, geometry: parcelAt([x, y], [across, up]) };
    });
}

/** 202,500 polygons, or BENCH_SIDE × BENCH_SIDE, with four attributes. */
export const parcels: FeatureCollection = {
  kind: 'features',
  crs: { authority: 'EPSG', code: 4326 },
  fields: [
    { name: 'n', type: 'integer' },
    { name: 'name', type: 'string' },
    { name: 'area', type: 'real' },
    { name: 'use', type: 'string' },
  ],
  hasZ: false,
  hasM: false,
  async *chunks() {
    yield* rows();
  },
};
