import { FormatError } from 'hydrofiles/errors';
import { boxGeometry, outlineInDegrees } from 'hydrofiles/geometry';
import type { OpenedStore } from 'hydrofiles/zarr';

export type Box = readonly [west: number, south: number, east: number, north: number];

/** The outer edges of the data in their coordinate system: west, south, east, north. */
export function boxOf(data: OpenedStore['data']): Box | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (x: number, y: number) => {
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  };
  if (data.kind === 'mesh') for (let n = 0; n < data.nodes.length; n += 3) add(data.nodes[n]!, data.nodes[n + 1]!);
  else if (data.kind === 'array' && data.placement?.by === 'nodes')
    for (const [n, x] of data.placement.nodeX.entries()) add(x, data.placement.nodeY[n]!);
  else {
    const placed =
      data.kind === 'grid'
        ? data
        : data.placement?.by === 'affine' && {
            affine: data.placement.affine,
            width: data.axes[data.placement.x]!.values.length,
            height: data.axes[data.placement.y]!.values.length,
          };
    if (placed) {
      const [x, a, b, y, c, d] = placed.affine;
      for (const column of [0, placed.width])
        for (const row of [0, placed.height]) add(x + column * a + row * b, y + column * c + row * d);
    }
  }
  const box = [west, south, east, north] as const;
  return box.every(Number.isFinite) ? box : undefined;
}

/**
 * The box of longitudes and latitudes around the data as WKT. Undefined without a coordinate system, for one that is
 * not known, and for data without a place on the earth.
 */
export async function wgs84ExtentOf(data: OpenedStore['data'], box: Box | undefined): Promise<string | undefined> {
  if (data.crs === undefined || box === undefined || ('located' in data && data.located === false)) return undefined;
  const geometry = data.kind === 'grid' ? data : boxGeometry(...box);
  try {
    const outline = await outlineInDegrees(geometry, data.crs);
    if (outline === undefined) return undefined;
    const [west, east] = [Math.min(...outline.x), Math.max(...outline.x)].map(rounded) as [number, number];
    const [south, north] = [Math.min(...outline.y), Math.max(...outline.y)].map(rounded) as [number, number];
    return `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}

/** Rounds to about a centimetre. */
const rounded = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;
