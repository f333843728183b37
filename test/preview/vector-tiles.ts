import { gunzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import type { OpenPreview, PreviewDescription, PreviewVectorTile, VectorLayer } from '../../src/files/preview.ts';
import { gridOf } from '../formats/tiles/tiling.ts';
import { written } from '../formats/written.ts';
import { type DecodedFeature, decodeTile } from '../world/decode-mvt.ts';
import { go } from './made.ts';
import { pixelAt, rangedPreviewOf } from './previews.ts';

type Tile = Pick<PreviewVectorTile, 'z' | 'x' | 'y'>;
export const scheme = { min: 0, max: 100, log: false };

/** The layers of a vector tile by name; none for one in which nothing lies. */
export async function layersOf(
  preview: OpenPreview,
  tile: Tile & Partial<PreviewVectorTile>,
): Promise<Map<string, DecodedFeature[]>> {
  const bytes = await preview.drawVectorTile(
    { item: '0', step: 0, layer: 0, layers: ['elements', 'isolines', 'arrows'], scheme, ...tile },
    go,
  );
  const decoded = bytes === undefined ? [] : decodeTile(gunzipSync(bytes));
  return new Map(decoded.map(({ name, features }) => [name, features]));
}

export const layerOf = async (
  preview: OpenPreview,
  layer: VectorLayer,
  tile: Tile & Partial<PreviewVectorTile>,
): Promise<DecodedFeature[]> => (await layersOf(preview, { layers: [layer], ...tile })).get(layer) ?? [];

/** The tiles of a level that the data touch. */
export function tilesOf(z: number, { bbox }: PreviewDescription): Tile[] {
  const [west, south, east, north] = bbox!;
  const [left, top] = pixelAt(z, west, north).map((one) => Math.floor(one / 256)) as [number, number];
  const [right, bottom] = pixelAt(z, east, south).map((one) => Math.floor(one / 256)) as [number, number];
  const tiles: Tile[] = [];
  for (let x = left; x <= right; x++) for (let y = top; y <= bottom; y++) tiles.push({ z, x, y });
  return tiles;
}

/** Two hills; all levels are closed inside of the grid. */
const hill = (x: number, y: number, [px, py]: readonly [number, number], [a, b]: readonly [number, number]) =>
  Math.exp(-(((x - px) / a) ** 2) - ((y - py) / b) ** 2);
export const hills = gridOf(
  { width: 300, height: 260, affine: [500_000, 20, 0, 6_000_000, 0, -20], code: 25832, type: 'Float32' },
  (x, y) => 100 * hill(x, y, [503_000, 5_997_400], [1200, 900]) + 60 * hill(x, y, [504_200, 5_996_800], [500, 500]),
);
export const open = async (t: ExecutionContext, data: Grid | Mesh, writer = 'MDWriter') =>
  rangedPreviewOf(t, (await written(t, data, writer)).content, { kind: 'store' });
