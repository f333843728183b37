import { z } from 'zod';
import { component, number, objects, text, texts } from '../../http/rules/members.ts';

/** What `platform inspect --json` tells, too. */
const Extent = component('InspectedExtent', {
  west: number('Smallest x, or the longitude in the west.', 590000),
  south: number('Smallest y, or the latitude in the south.', 5722000),
  east: number('Largest x, or the longitude in the east.', 590075),
  north: number('Largest y, or the latitude in the north.', 5722050),
});

const figures = {
  values: number('Number of samples with a value. Only with statistics.', 26).optional(),
  empty: number('Number of samples without a value. Only with statistics.', 4).optional(),
  minimum: number('Smallest value.', 0.05).optional(),
  maximum: number('Largest value.', 13.28).optional(),
  mean: number('Mean of the values.', 4.4).optional(),
  standardDeviation: number('Population standard deviation.', 1.2).optional(),
};

const item = {
  name: text('Name of the item.', 'Water depth').optional(),
  unit: text('Symbol of the unit of the values.', 'm').optional(),
  type: text('Type of the values, such as `Float32`. Absent where only the values tell it.', 'Float32').optional(),
  nodata: z
    .union([z.number(), z.string()])
    .describe('Value of places without data; as a text if it is no number of JSON.')
    .optional(),
  eum: z
    .object({ item: number('Number of the quantity.', 100000), unit: number('Number of the unit.', 1000) })
    .describe('Quantity and unit by DHI’s EUM.')
    .optional(),
  valueKind: text('How values relate to their time.', 'instantaneous').optional(),
  ...figures,
};

const Writer = component('InspectedWriter', {
  name: text('Name of the writer.', 'GeoTiffWriter'),
  format: text('Format of its files.', 'geotiff'),
  keeps: texts('Parts of the data that the output will have.', ['the coordinate system, EPSG:25832']),
  loses: texts('Sentences that the receipt of a conversion will have in `lost`, as far as the header tells them.', [
    'A GeoTIFF does not store the EUM quantities of items.',
  ]),
  refuses: text('Why it does not write these data with its usual parameters; a transformation may help.').optional(),
});

export const InspectionForm = component('Inspection', {
  size: number('Size of the whole file in bytes.', 771_379),
  looksLike: text('What the content looks like.', 'DFSU file').optional(),
  needsMore: z
    .object({ from: number('First byte.', 1_048_576), to: number('Byte after the last.', 1_052_672) })
    .optional()
    .describe(
      'Only with `size`: bytes that the reader needed first and that were not uploaded. Members are then absent if the start does not tell them. Absent: the start tells all.',
    ),
  format: text('Format of the file. Absent only with `needsMore`.', 'dfsu').optional(),
  reader: text(
    'Reader; `FileReader`, which copies bytes, if no other knows the content. Absent only with `needsMore`.',
    'DfsuReader',
  ).optional(),
  kind: text(
    'Kind of the data: `grid`, `mesh`, `features`, `series`, `array` or `bytes`. Absent only with `needsMore`.',
    'mesh',
  ).optional(),
  crs: z
    .object({
      srid: text('Code of the coordinate system.', 'EPSG:25832').optional(),
      name: text('Name of the coordinate system.', 'ETRS89 / UTM zone 32N'),
      kind: text('Kind of the coordinate system.', 'projected'),
    })
    .optional()
    .describe('Coordinate system; absent: unknown.'),
  extent: Extent.optional().describe('In the coordinate system. Of features only with statistics.'),
  extentWgs84: Extent.optional().describe('In degrees.'),
  width: number('Columns of a grid.', 3).optional(),
  height: number('Rows of a grid.', 2).optional(),
  affine: z.array(z.number()).optional().describe('Geotransform of a grid, as GDAL has it.'),
  bands: objects('Items of a grid.', {
    band: number('Number from 1.', 1),
    ...item,
    scale: number('The real value is value · scale + offset.').optional(),
    offset: number('See `scale`.').optional(),
    role: text('Colour interpretation.', 'red').optional(),
  }).optional(),
  nodes: number('Nodes of a mesh.', 2112).optional(),
  elements: number('Elements of a mesh.', 3940).optional(),
  layers: number('Layers of a grid or mesh.', 5).optional(),
  layerAxis: z
    .object({
      first: number('Height of the centre of the lowest layer.', -20),
      spacing: number('Distance between layers.', 2),
      unit: text('Unit of both.', 'm').optional(),
    })
    .optional()
    .describe('Layers of a grid.'),
  sigmaLayers: number('Layers of a mesh that follow the surface.', 5).optional(),
  dimensions: objects('Dimensions of an array besides time.', {
    name: text('Name of the dimension.', 'frequency'),
    unit: text('Symbol of the unit of the coordinates.', 'Hz').optional(),
    length: number('Number of coordinates.', 25),
    first: number('First coordinate.', 0.05).optional(),
    last: number('Last coordinate.', 0.5).optional(),
  }).optional(),
  time: z
    .object({
      steps: number('Number of time steps.', 13),
      axis: text('`calendar`, or `relative` to an unknown start.', 'calendar'),
      spacing: text('`equidistant` or `nonEquidistant`.', 'equidistant'),
      unit: text('Unit of intervals and relative times.', 'second'),
      first: z.union([z.string(), z.number()]).optional().describe('First time on the clock of the data.'),
      last: z.union([z.string(), z.number()]).optional().describe('Last time on the clock of the data.'),
      interval: number('Interval of equidistant steps.', 3600).optional(),
    })
    .optional()
    .describe('Time axis; of some series only with statistics.'),
  items: objects('Items of a mesh, of series or an array.', item).optional(),
  layer: text('Name of the layer of features.', 'gauges').optional(),
  fields: objects('Fields of features.', {
    name: text('Name of the field.', 'station'),
    type: text('Type of the field.', 'string'),
    width: number('Characters or digits.', 80).optional(),
    decimals: number('Digits after the point.', 2).optional(),
    untyped: z.literal(true).optional().describe('No feature has a value in this field.'),
  }).optional(),
  statistics: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Numbers of features, vertices and geometries by type, and extremes. Only of features, with statistics.'),
  remarks: texts('What the reader lost, repaired or guessed.'),
  writers: z
    .array(Writer)
    .optional()
    .describe('Writers that can follow, with their usual parameters. Absent only with `needsMore`.'),
  transformations: texts('Transformations that can follow. Absent only with `needsMore`.', [
    'CrsTransformation',
  ]).optional(),
  limits: z
    .object({
      seconds: number('Seconds that an inspection may take.', 30),
      memoryMb: number('MB of memory that it may use.', 1024),
      sizeGb: number('Largest file in GB.', 2),
    })
    .describe('Limits of an inspection.'),
});
