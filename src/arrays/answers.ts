import { z } from 'zod';
import { component, flag, number, text, texts } from '../http/rules/members.ts';

/** Words for types of values that clients of series know, too. */
export const DATA_TYPES = ['Int16', 'Int32', 'Int64', 'Single', 'Double'] as const;

const Item = component('MultidimensionalItem', {
  i: z.int().describe('Index of the item, for the queries of elements.'),
  id: text('Name of its array, unique in the dataset; for `item` of the values.', 'Water level'),
  name: text('Name of the item in the dataset.', 'Water level').optional(),
  item: text('Identifier of the EUM item.', 'eumIWaterLevel').optional(),
  unit: text('Identifier of the EUM unit.', 'eumUmeter').optional(),
  unitSymbol: text('Symbol of the unit.', 'm').optional(),
  dataType: z
    .enum(DATA_TYPES)
    .describe(
      'Type of its values: `Single`, `Double`, or the narrowest of `Int16`, `Int32` and `Int64` that holds them.',
    ),
  noDataValue: number('Value of cells without data in binary answers; absent: NaN.', -1e-35).optional(),
  hasLayers: flag('The values lie in layers.'),
  timeSeriesType: text(
    'How a value relates to its time: `Instantaneous`, `Accumulated`, `StepAccumulated`, `MeanStepBackward` or `MeanStepForward`.',
    'Instantaneous',
  ),
  axes: texts(
    'Names of the dimensions: `time`, `layer`, `y` and `x`, `element` or `node` of a mesh, or names of other axes.',
    ['time', 'y', 'x'],
  ),
});

const Time = component('MultidimensionalTime', {
  steps: z.int().describe('Number of steps.'),
  start: text('Time of the first step, on the clock of the data.', '2026-01-24T00:00:00.0000000').optional(),
  end: text('Time of the last step.', '2026-01-24T23:00:00.0000000').optional(),
  relative: flag('The axis has no date: times count from 1970.'),
  interval: number('Seconds between two steps, if all are equal.', 3600).optional(),
  times: texts('Times of up to 10,000 steps at unequal distances.', ['2026-01-24T00:00:00.0000000']).optional(),
});

const Axis = component('MultidimensionalAxis', {
  name: text('`x`, `y`, `layer`, or the name of another axis.', 'x'),
  length: z.int().meta({ description: 'Number of its values.', example: 120 }),
  unit: text('Symbol of the unit of the axis.', 'm').optional(),
  first: number('Centre of the first column or row; absent for a rotated or curvilinear grid.', 610050).optional(),
  last: number('Centre of the last column or row.', 621950).optional(),
  values: z
    .array(z.number())
    .optional()
    .meta({ description: 'Up to 10,000 coordinates, such as heights of layers.', example: [0, 5] }),
});

const Mesh = component('MultidimensionalMesh', {
  nodes: z.int().meta({ description: 'Number of nodes.', example: 528 }),
  elements: z.int().meta({ description: 'Number of elements.', example: 884 }),
  layers: z.int().optional().describe('Number of layers.'),
  sigmaLayers: z.int().optional().describe('Number of layers at the top that follow the bed.'),
  section: z.enum(['profile', 'column']).optional().describe('A vertical `profile` or `column` instead of an area.'),
});

const Crs = component('MultidimensionalCrs', {
  name: text('Name of the coordinate system.', 'ETRS89 / UTM zone 32N'),
  srid: text('Code of the coordinate system.', 'EPSG:25832').optional(),
  wkt: text('Coordinate system as WKT.').optional(),
});

/** Body of the answer of `GET /api/md/dataset/{id}`. */
export const MultidimensionalDataset = component('MultidimensionalDataset', {
  id: text('Id of the dataset.', '019b3f0c-9a43-7c61-9a1f-2d7c8e5b1a90'),
  name: text('Name of the dataset.', 'water levels'),
  title: text('Title of the file that the data come from.', 'Flood of January 2026').optional(),
  kind: z
    .enum(['grid', 'mesh', 'array'])
    .describe('`grid`, `mesh`, or `array`: cells that a grid cannot describe, or spectra.'),
  items: z.array(Item).describe('Items of the dataset.'),
  time: Time.optional().describe('Time axis; absent: one step without a time.'),
  axes: z.array(Axis).describe('Other axes.'),
  affine: z
    .array(z.number())
    .optional()
    .meta({
      description:
        'Of a grid: x of the outer corner, x of a column, x of a row, then the same of y, as GDAL’s geotransform.',
      example: [610000, 100, 0, 6130000, 0, -100],
    }),
  mesh: Mesh.optional().describe('Size of a mesh.'),
  crs: Crs.optional().describe('Coordinate system of the dataset.'),
  bbox: z
    .array(z.number())
    .optional()
    .meta({
      description: 'Extent in its coordinate system: minx, miny, maxx, maxy.',
      example: [610000, 6120000, 622000, 6130000],
    }),
  wgS84Extent: text(
    'Box around the data as WKT, in longitude and latitude of WGS 84; absent if their place is not known.',
    'POLYGON ((10.69 55.22, 10.88 55.22, 10.88 55.31, 10.69 55.31, 10.69 55.22))',
  ).optional(),
});

export type MultidimensionalDataset = z.infer<typeof MultidimensionalDataset>;

/** Values as a table. */
export const MultidimensionalValues = component('MultidimensionalValues', {
  columns: texts(
    'Names of the columns: `time`, numbers of elements, nodes and layers, coordinates, then ids of items.',
    ['time', 'x', 'y', 'Water level'],
  ),
  data: z.array(z.array(z.union([z.string(), z.number(), z.null()]))).meta({
    description: 'A row for each time and place; null: no data.',
    example: [['2026-01-24T08:00:00.0000000', 614550, 6120050, 0.25]],
  }),
});
export type MultidimensionalValues = z.infer<typeof MultidimensionalValues>;
