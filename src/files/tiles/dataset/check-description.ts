import { z } from 'zod';
import { MILLISECONDS, type TimeUnit } from '../../data/time-axis.ts';
import { OUT_OF_RANGE, OUTPUT_TYPES } from '../raster/encode-tile.ts';
import { parseColour } from '../raster/ramp.ts';
import { MOST_COLUMNS } from '../raster/values/item-values.ts';
import {
  AGGREGATION_METHODS,
  checkSchemes,
  DEEPEST,
  LEAST_TILE,
  MOST_SCHEMES,
  MOST_TILE,
  SCHEME_TYPES,
  XYZ_TILE,
} from './schemes.ts';

/** Sets of tiles: schemes × time steps × layers. */
export const MOST_SLICES = 20_000;
/**
 * Levels above the base level that are drawn on request. Those further up have few tiles, which cost the writer next to
 * nothing.
 */
export const MOST_LEVELS_ABOVE = 4;
/** Tiles of a side of the deepest matrix. */
const MOST_ACROSS = 2 ** DEEPEST;
const MOST_COLOURS = 100_000;
/** Red, green, blue, alpha. */
const MOST_PLANES = 4;

const integer = (least: number, most: number) =>
  z.custom<number>(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `Expected an integer from ${least} to ${most}`,
  );
const positive = z.custom<number>(
  (value) => typeof value === 'number' && value > 0 && value < Infinity,
  'Expected a number above 0',
);

/** Its length is checked before its elements, each of which would have an issue of its own. */
const list = <T extends z.ZodType>(one: T, most: number, least = 0) =>
  z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length >= least && value.length <= most, {
      error: `Expected a list of ${least} to ${most}`,
      abort: true,
    })
    .pipe(z.array(one));
/** JSON has null for NaN and for what is infinite. */
const anyNumber = z.number().nullable();

const level = integer(0, DEEPEST);
const perLevel = <T extends z.ZodType>(one: T, least = 0) => list(one, DEEPEST + 1, least);
const side = integer(LEAST_TILE, MOST_TILE);
const box = z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() });
const anyBox = z.object({ west: anyNumber, south: anyNumber, east: anyNumber, north: anyNumber });
const corners = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const affine = z
  .tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()])
  .refine(([, a, b, , c, d]) => a * d - b * c !== 0, 'Expected cells with an area');
const crs = z.object({
  authority: z.enum(['EPSG', 'ESRI']).optional(),
  code: z.int().optional(),
  wkt: z.string().optional(),
});
const cells = { width: integer(1, MOST_COLUMNS), height: integer(1, Number.MAX_SAFE_INTEGER), affine };

const Values = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('grid'),
    ...cells,
    crs,
    planes: list(z.object({ type: z.enum(['Float32', 'Float64']), whole: z.boolean() }), MOST_PLANES, 1),
  }),
  z.object({ kind: z.literal('mesh'), at: z.enum(['node', 'cell']) }),
]);

const colour = z.custom<string>(
  (text) => typeof text === 'string' && parseColour(text) !== undefined,
  'Expected #RRGGBB',
);

const Scheme = z
  .object({
    schemeId: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/),
    schemeType: z.enum(SCHEME_TYPES),
    itemName: z.string(),
    outputType: z.enum(OUTPUT_TYPES),
    tileWidth: side,
    tileHeight: side,
    zoomLevels: perLevel(level, 1),
    levelsOnRequest: perLevel(level).optional(),
    drawnOf: z.object({ name: z.string(), values: Values, base: level, boxes: list(box, 2) }).optional(),
    minValue: z.number().optional(),
    maxValue: z.number().optional(),
    colors: list(colour, MOST_COLOURS, 2).optional(),
    unit: z.string().optional(),
    aggregationMethod: z.enum(AGGREGATION_METHODS),
    renderValuesOutOfRangeAsTransparent: z.enum(OUT_OF_RANGE),
    resolutions: perLevel(positive),
    scaleDenominators: perLevel(positive),
    matrixWidths: perLevel(integer(1, MOST_ACROSS)),
    matrixHeights: perLevel(integer(1, MOST_ACROSS)),
    srid: z.int(),
    sridAuthName: z.string(),
    topLeft: z.tuple([z.number(), z.number()]),
    northFirst: z.boolean(),
    box: corners,
    hasLayers: z.boolean(),
  })
  .superRefine((scheme, { addIssue }) => {
    const wrong = (name: keyof typeof scheme, message: string) => addIssue({ code: 'custom', path: [name], message });
    const { zoomLevels, levelsOnRequest = [], drawnOf, tileWidth, tileHeight } = scheme;
    for (const name of ['resolutions', 'scaleDenominators', 'matrixWidths', 'matrixHeights'] as const)
      if (scheme[name].length !== zoomLevels.length)
        wrong(name, `Expected ${zoomLevels.length} numbers, one per level`);
    if (scheme.schemeType === 'XYZ' && (tileWidth !== XYZ_TILE || tileHeight !== XYZ_TILE))
      wrong(tileWidth === XYZ_TILE ? 'tileHeight' : 'tileWidth', `Expected ${XYZ_TILE}, as the scheme is XYZ`);
    const isPicture = scheme.outputType === 'PNG' || scheme.outputType === 'WEBP';
    const ends = [scheme.minValue, scheme.maxValue, scheme.colors].filter((one) => one !== undefined).length;
    if (ends !== 3 && (ends > 0 || !isPicture)) wrong('colors', 'Expected colors, minValue and maxValue');
    // A tile is made of all tiles of the base level in it, four times as many for each level above it.
    if (levelsOnRequest.length > 0 && drawnOf === undefined) wrong('drawnOf', 'Expected how to draw the levels');
    if (levelsOnRequest.some((one) => one < (drawnOf?.base ?? 0) - MOST_LEVELS_ABOVE))
      wrong(
        'levelsOnRequest',
        `Expected levels from ${drawnOf!.base - MOST_LEVELS_ABOVE} on, as the base is ${drawnOf!.base}`,
      );
  });

const clock = {
  unit: z.enum(Object.keys(MILLISECONDS) as [TimeUnit, ...TimeUnit[]]),
  start: z.number().optional(),
};
const Axis = z.discriminatedUnion('spacing', [
  z.object({
    spacing: z.literal('equidistant'),
    ...clock,
    count: z.int(),
    offset: z.number(),
    interval: z.number(),
  }),
  z.object({ spacing: z.literal('nonEquidistant'), ...clock, offsets: list(anyNumber, MOST_SLICES) }),
]);

const Source = z.object({
  crs,
  shape: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('grid'),
      width: z.int(),
      height: z.int(),
      affine,
      layers: z.object({ count: z.int(), first: anyNumber, spacing: anyNumber }).optional(),
    }),
    z.object({ kind: z.literal('mesh'), layers: z.int(), elements: z.int(), digest: z.string() }),
  ]),
  box: anyBox,
  extent: anyBox,
  // Matrices have half as many cells until they fit into a tile.
  cell: positive,
  // At most 24 levels are tried for it.
  mercatorCell: z.number().min(0),
  time: Axis.optional(),
  // Descriptions of the values, by id of the scheme.
  values: z
    .custom<object>((value) => typeof value === 'object' && Object.keys(value ?? {}).length <= MOST_SCHEMES, {
      error: `Expected at most ${MOST_SCHEMES} items`,
      abort: true,
    })
    .pipe(z.record(z.string(), Values)),
});

const Description = z
  .object({
    geographicBox: corners,
    nativeExtent: z.string(),
    wgS84Extent: z.string(),
    tilingSchemes: list(Scheme, MOST_SCHEMES, 1),
    askedSchemes: z.array(z.unknown()).optional(),
    source: Source.optional(),
    tileStorageSizeKB: z.number(),
    timeStamps: list(z.string(), MOST_SLICES),
    layerIds: list(z.int(), MOST_SLICES),
    layerHeights: list(anyNumber, MOST_SLICES).optional(),
  })
  .superRefine(({ tilingSchemes, timeStamps, layerIds, source }, { addIssue }) => {
    const [steps, layers] = [Math.max(1, timeStamps.length), Math.max(1, layerIds.length)];
    if (tilingSchemes.length * steps * layers > MOST_SLICES)
      addIssue({
        code: 'custom',
        message: `${tilingSchemes.length} schemes of ${steps} steps and ${layers} layers are more than ${MOST_SLICES} sets of tiles`,
      });
    const time = source?.time;
    if (time === undefined) return;
    const count = time.spacing === 'equidistant' ? time.count : time.offsets.length;
    const path = ['source', 'time', time.spacing === 'equidistant' ? 'count' : 'offsets'];
    if (count !== timeStamps.length)
      addIssue({ code: 'custom', path, message: `Expected ${timeStamps.length} steps, as there are time stamps` });
  });

/** A sentence about a description with which nothing can be drawn, or too much would be. Undefined for a good one. */
export function problemOfDescription(description: unknown): string | undefined {
  const { error, data } = Description.safeParse(description);
  if (error === undefined) {
    const [first] = data.askedSchemes === undefined ? [] : checkSchemes(data.askedSchemes).errors;
    return first && `askedSchemes: ${first}`;
  }
  const { path, message } = error.issues[0]!;
  if (path.length === 0) return `${message}.`;
  const where = path.map((part, n) =>
    typeof part === 'number' ? `[${part}]` : `${n === 0 ? '' : '.'}${String(part)}`,
  );
  const value = path.reduce<unknown>(
    (of, part) => (of as Record<PropertyKey, unknown> | undefined)?.[part],
    description,
  );
  return `${where.join('')} is ${(JSON.stringify(value) ?? 'missing').slice(0, 80)}. ${message}.`;
}
