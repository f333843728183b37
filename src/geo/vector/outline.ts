import type { Crs } from '../../data/crs-reference.ts';
import { wgs84 } from '../crs/crs.ts';
import { transformer } from '../crs/transform.ts';
import type { GridGeometry } from '../warp/image-transformer.ts';

/** Points per side: sides are curves in longitude and latitude. */
const perSide = 16;

/** Outline of a grid as WKT polygon in WGS 84, longitude before latitude, 7 decimals; undefined when a part of it has no place there. */
export async function outlineWkt({ width, height, affine }: GridGeometry, crs: Crs): Promise<string | undefined> {
  const corners = [
    [0, 0],
    [0, height],
    [width, height],
    [width, 0],
    [0, 0],
  ] as const;
  const x: number[] = [];
  const y: number[] = [];
  for (let side = 0; side < 4; side++) {
    const [[c0, r0], [c1, r1]] = [corners[side]!, corners[side + 1]!];
    for (let i = 0; i < perSide; i++) {
      const column = c0 + ((c1 - c0) * i) / perSide;
      const row = r0 + ((r1 - r0) * i) / perSide;
      x.push(affine[0] + column * affine[1] + row * affine[2]);
      y.push(affine[3] + column * affine[4] + row * affine[5]);
    }
  }
  const [lon, lat] = [Float64Array.from(x), Float64Array.from(y)];
  using transform = await transformer(crs, wgs84);
  if (transform.forward(lon, lat) > 0) return undefined;
  const points = Array.from(lon, (value, i) => `${Number(value.toFixed(7))} ${Number(lat[i]!.toFixed(7))}`);
  return `POLYGON ((${[...points, points[0]].join(', ')}))`;
}
