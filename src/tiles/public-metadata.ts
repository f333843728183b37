import {
  AGGREGATION_METHODS,
  type DrawnScheme,
  OUT_OF_RANGE,
  OUTPUT_TYPES,
  SCHEME_TYPES,
  type TilesDescription,
} from 'hydrofiles/tiles';
import { z } from 'zod';
import { component, flag, number, text, texts } from '../http/rules/members.ts';

const perLevel = (description: string, example: number[]) =>
  z.array(z.number()).meta({ description, example: example });

const Scheme = component('TilingScheme', {
  schemeId: text('Id of the scheme.', 'depth'),
  schemeType: z.enum(SCHEME_TYPES).describe('`WMTS`: in the coordinate system of the data. `XYZ`: Web Mercator.'),
  itemName: text('The item of the data that is drawn.', 'Depth'),
  unit: text('Unit of the item.', 'm').optional(),
  outputType: z.enum(OUTPUT_TYPES).describe('Format of the tiles.'),
  tileWidth: z.int().meta({ description: 'Pixels from left to right.', example: 256 }),
  tileHeight: z.int().meta({ description: 'Pixels from top to bottom.', example: 256 }),
  zoomLevels: perLevel('Ids of the tile matrices, from the least detail.', [0, 1]),
  levelsOnRequest: z
    .array(z.int())
    .optional()
    .meta({
      description: 'Zoom levels whose tiles are drawn at their first request.',
      example: [16],
    }),
  resolutions: perLevel('Side of a pixel of each level, in units of the coordinate system.', [40, 20]),
  scaleDenominators: perLevel('OGC scale denominator of each level.', [142857.142857, 71428.571429]),
  matrixWidths: perLevel('Columns of each level.', [1, 2]),
  matrixHeights: perLevel('Rows of each level.', [1, 2]),
  minValue: number('Value of the first colour.').optional(),
  maxValue: number('Value of the last colour.', 12.5).optional(),
  colors: texts('Spread evenly from minValue to maxValue. Absent for rasters in their own colours.').optional(),
  aggregationMethod: z.enum(AGGREGATION_METHODS).describe('How the value of a pixel is computed from the cells in it.'),
  renderValuesOutOfRangeAsTransparent: z.enum(OUT_OF_RANGE).describe('Which values beyond the ends have no colour.'),
  srid: z.int().meta({ description: 'EPSG or ESRI code of the coordinate system of the tiles.', example: 25832 }),
  sridAuthName: text('Authority of `srid`.', 'EPSG'),
  topLeft: z.array(z.number()).describe('Upper left corner of all matrices: x, y.'),
  hasLayers: flag('Whether `layer` chooses among several.'),
});

export const TileMetadata = component('TileMetadata', {
  nativeExtent: text('Bounding rectangle in the coordinate system of the data, WKT.'),
  wgS84Extent: text(
    'Bounding rectangle in degrees, WKT, longitude before latitude; beyond 180° across the antimeridian.',
  ),
  tilingSchemes: z.array(Scheme).describe('The schemes, in the order of the request.'),
  tileStorageSizeKB: number('Size of all tiles; equal ones count once.', 812),
  timeStamps: texts('Times of the steps, on the clock of the data.', ['2024-05-02T10:00:00']),
  layerIds: z.array(z.int()).describe('Numbers of the layers, from the lowest.'),
  layerHeights: z
    .array(z.number())
    .optional()
    .meta({ description: 'Heights of the layers, where they are the same everywhere.', example: [-10, -5] }),
});

/** The description without what only the routes need. */
export function publicMetadata({ version: _, geographicBox: _box, tilingSchemes, ...rest }: TilesDescription): object {
  return { ...rest, tilingSchemes: tilingSchemes.map(publicScheme) };
}

const publicScheme = ({ northFirst: _, box: _box, drawnOf: _drawn, ...scheme }: DrawnScheme) => scheme;
