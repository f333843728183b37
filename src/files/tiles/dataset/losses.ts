import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { Context } from '../../formats/define.ts';
import { reportMeshParts } from '../../formats/io/left-out.ts';
import { reportUnstored } from '../../formats/io/unstored.ts';
import type { TilingScheme } from './schemes.ts';

/** Tiles show values of items; of all else they have names, units, times and heights of layers. */
export function reportTileLosses(data: Grid | Mesh, schemes: readonly TilingScheme[], context: Context): void {
  const { reportLoss } = context;
  const isPicture = schemes.some(({ outputType }) => outputType === 'PNG' || outputType === 'WEBP');
  reportLoss(
    isPicture
      ? 'Tiles are pictures: the values were resampled to pixels and became colours, without their precision.'
      : 'The values of tiles were resampled to pixels, in single precision or less.',
    'rotation',
  );
  if (schemes.some(({ schemeType }) => schemeType === 'XYZ'))
    reportLoss('Tiles of XYZ are in the coordinate system Web Mercator (EPSG:3857).', 'crs');
  if (data.time !== undefined && data.time.start === undefined)
    reportLoss('The times are relative; tiles count them from 1970-01-01T00:00:00.', 'times');
  const items = data.kind === 'grid' ? data.bands : data.items;
  reportUnstored(items, 'A set of tiles', ['quantity', 'valueKind'], context);
  if (data.kind === 'mesh') reportMeshParts(data, 'Tiles', { hasLayers: true }, context);
}
