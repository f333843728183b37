import { z } from 'zod';
import { component, flag, number, objects, text, texts, textUpTo } from '../http/rules/members.ts';
import { queryBoolean } from '../http/rules/query.ts';
import { STATES } from './previews.queries.ts';

export const Scheme = component('PreviewScheme', {
  item: text('Id of the item.', '0'),
  colors: texts('Colours, spread evenly from min to max.', ['#F7FBFF', '#08306B']),
  min: number('Value that has the first colour.', 0),
  max: number('Value that has the last colour.', 12.5),
  steps: number('Number of classes of one colour each. Absent: colours change continuously.', 8).optional(),
  log: flag('Whether colours are spread over the logarithm of the values.'),
});

/** What a dataset keeps. */
export const SchemeBody = component('KeptPreviewScheme', {
  item: textUpTo(300, 'Item: its id, or a name that only one has.', '0'),
  colors: z
    .array(z.string().max(9))
    .min(2)
    .max(256)
    .meta({ description: 'Colours, spread evenly from min to max.', example: ['#F7FBFF', '#08306B'] }),
  min: z.number().meta({ description: 'Least value of the colours of the preview.', example: 0 }),
  max: z.number().meta({ description: 'Greatest value of the colours of the preview.', example: 12.5 }),
  steps: z
    .int()
    .min(2)
    .max(256)
    .optional()
    .meta({ description: 'Number of classes that the preview has. Absent: continuous colours.', example: 8 }),
  log: z.boolean().default(false).describe('Whether colours are spread over the logarithm of the values.'),
});

export const Preview = component('Preview', {
  state: z
    .enum([...STATES, 'none'])
    .describe(
      '`ready`; `building`: a store for it is made; `none`: nothing of it can be drawn; `failed`: it cannot be read.',
    ),
  progress: number('Of the making of the store, 0 to 1.', 0.4).optional(),
  reason: text('Why it is `none` or `failed`, or has no tiles.', 'The file is no GeoTIFF.').optional(),
  kind: z.enum(['grid', 'mesh', 'features', 'series', 'arrays']).optional().describe('Kind of the data.'),
  items: objects('Items that can be drawn, or fields of features.', {
    id: text('Id in requests.', '0'),
    name: text('Name of the item.', 'Water depth'),
    unit: text('Symbol of the unit of the item.', 'm').optional(),
    min: number('Least value of the step `best`.', 0).optional(),
    max: number('Greatest value of the step `best`.', 12.5).optional(),
    vector: text('Id of the item that is the northward component, if this one is the eastward one.', '1').optional(),
  }).optional(),
  steps: z
    .object({
      count: number('Number of time steps that can be drawn.', 24),
      first: text('First time, on the clock of the data.', '2026-01-31T12:00:00').optional(),
      last: text('Last time, on the clock of the data.', '2026-02-01T11:00:00').optional(),
      spacing: number('Seconds from each step to the next, if they are evenly spaced.', 3600).optional(),
      times: z
        .array(z.string())
        .optional()
        .describe('Times of all steps, if they are not evenly spaced and at most 10,000.'),
      best: number('Number of the step with most data, from 0.', 23),
    })
    .optional()
    .describe('Time steps.'),
  layers: z
    .object({
      count: number('Number of layers that can be drawn.', 1),
      ids: z.array(z.int()).optional().describe('Numbers of the layers in the data, from the lowest.'),
      heights: z.array(z.number()).optional().describe('Heights of the layers.'),
    })
    .optional()
    .describe('Vertical layers, from the lowest.'),
  bbox: z
    .array(z.number())
    .optional()
    .describe('West, south, east, north in degrees; west is greater than east across the antimeridian.'),
  srid: text('Code of the coordinate system.', 'EPSG:25832').optional(),
  cells: number('Cells of a layer of a grid, elements of a mesh, number of features.', 771_379).optional(),
  scheme: Scheme.optional().describe('Item and colours that tiles have which ask for none.'),
  tiles: z
    .object({
      raster: text('Pictures (`.webp` as well, `@2x` before the dot for 512 pixels).', '…/{z}/{x}/{y}.png').optional(),
      values: text(
        'Float32, little-endian, row by row from the top; NaN is no data.',
        '…/{z}/{x}/{y}.values',
      ).optional(),
      vector: text('Mapbox Vector Tiles.', '…/{z}/{x}/{y}.vector.pbf').optional(),
    })
    .optional()
    .describe('Addresses of tiles of Web Mercator. Absent ones: there are no such tiles.'),
  deepest: number('The deepest zoom level; deeper tiles are 404.', 18).optional(),
});
export type Preview = z.output<typeof Preview>;

export const TileFile = z.object({
  zoom: text('Zoom level of Web Mercator.', '3'),
  column: text('Column from the west.', '4'),
  file: text('Row from the north, `@2x` for twice the pixels, and the format.', '2.png'),
});

const item = textUpTo(300, 'Item: its id, or a name that only one has. Default: that of the scheme.', '0');
const step = textUpTo(20, 'Number of the time step, from 0. Default: `best` of the description.', '0');
const layer = textUpTo(20, 'Number of the layer, from 0, the lowest. Default: the highest.', '0');

export const PreviewTileQuery = z.object({
  item: item.optional(),
  step: step.optional(),
  layer: layer.optional(),
  colors: textUpTo(
    4000,
    'Colours with commas between; # may be left out. Default: scheme.',
    'F7FBFF,08306B',
  ).optional(),
  min: textUpTo(40, 'Value of the first colour. Default: of the scheme, else of the item.', '0').optional(),
  max: textUpTo(40, 'Value of the last colour. Default: of the scheme, else of the item.', '12.5').optional(),
  log: queryBoolean()
    .optional()
    .meta({ description: 'Whether colours are spread over the logarithm of the values.', type: 'boolean' }),
  steps: textUpTo(20, 'Number of classes of one colour each.', '8').optional(),
  layers: textUpTo(
    100,
    'Layers of a vector tile with commas between: elements, isolines, arrows. Default: all that the data have.',
    'isolines,arrows',
  ).optional(),
  levels: textUpTo(
    4000,
    'Levels of isolines with commas between. Default: the sides of the classes, or round numbers.',
    '0,0.5,1',
  ).optional(),
});

const bytes = { schema: { type: 'string', format: 'binary' } };

/** The answers of a tile in the OpenAPI document. */
export const TILE_ANSWER = {
  responses: {
    200: {
      description: 'The tile.',
      headers: {
        ETag: { description: 'Strong: of the tile and the version of the dataset.', schema: { type: 'string' } },
      },
      content: {
        'image/png': bytes,
        'image/webp': bytes,
        'application/octet-stream': bytes,
        'application/vnd.mapbox-vector-tile': bytes,
      },
    },
    204: { description: 'Nothing lies in the tile.' },
    304: { description: 'The ETag of the caller is current.' },
  },
};
