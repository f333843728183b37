import { z } from 'zod';
import { component, flag, number, objects, text, textUpTo } from '../http/rules/members.ts';
import { queryEnum, queryInteger, queryList } from '../http/rules/query.ts';

const cell = z.union([z.number(), z.string(), z.boolean(), z.null()]).meta({ example: 12.5 });
const value = z.union([z.number(), z.null()]).meta({ example: 12.5 });

const Item = component('PreviewNumberItem', {
  id: text('Id of an item in requests for numbers.', '0'),
  name: text('Name of an item with numbers.', 'Water depth'),
  unit: text('Symbol of the unit of its numbers.', 'm').optional(),
});

const Times = component('PreviewTimes', {
  times: z
    .array(z.string())
    .optional()
    .meta({ description: 'Times on the clock of the data.', example: ['2026-01-31T12:00:00'] }),
  offsets: z.array(z.number()).optional().describe('Of data whose times are relative: distances from their start.'),
  unit: text('Unit of the offsets.', 'hour').optional(),
});

const Place = z.array(z.number()).meta({ description: 'Longitude and latitude of a point.', example: [9.03, 54.15] });

export const Values = component('PreviewValues', {
  kind: z.enum(['steps', 'features']).describe('`steps` of a grid, mesh or array; `features` at the points.'),
  time: Times.optional().describe('Times of the values. Absent: the data have one step.'),
  steps: z.array(z.int()).optional().describe('Numbers of the steps of the values.'),
  items: z.array(Item).optional().describe('Items of the values.'),
  fields: objects('Fields of the features.', {
    id: text('Id of the field in requests.', '0'),
    name: text('Name of the field.', 'depth'),
  }).optional(),
  points: objects('What is found at each point.', {
    point: Place,
    inside: flag('Whether the point lies in the data.').optional(),
    values: z.array(z.array(value)).optional().describe('For each item a value per step; null: none.'),
    features: objects('Features that touch the point.', {
      id: z
        .union([z.string(), z.number()])
        .optional()
        .meta({ description: 'Id of the feature in its source.', example: 7 }),
      values: z.array(cell).describe('For each field its value; null: none.'),
    }).optional(),
    more: flag('More features lie there.').optional(),
  }),
});

export const Profile = component('PreviewProfile', {
  item: Item.describe('Item along the line.'),
  step: number('Number of the step along the line.', 0),
  time: text('Time along the line.', '2026-01-31T12:00:00').optional(),
  layer: number('Number of the layer along the line.', 0),
  distances: z.array(z.number()).describe('Metres from the start of the line.'),
  points: z.array(Place).describe('Places of the values along the line.'),
  values: z.array(value).describe('Values along the line; null outside of the data and where they have none.'),
});

export const Series = component('PreviewSeries', {
  items: z
    .array(
      Item.extend({
        valueKind: text('How a value relates to its time; absent: instantaneous.', 'meanStepBackward').optional(),
        time: Times.describe('Times of the points.'),
        values: z
          .array(z.union([z.number(), z.string(), z.null()]).meta({ example: 12.5 }))
          .describe('Values of the points; null: a gap.'),
      }).meta({ id: 'PreviewSeriesItem' }),
    )
    .describe('Items with their points.'),
  rows: number('Number of times in the interval. If there are fewer points, they are extremes.', 1000),
});

export const Statistics = component('PreviewStatistics', {
  item: Item.describe('Item that the figures are of.'),
  step: number('Number of the step that the figures are of.', 0).optional(),
  layer: number('Number of the layer that the figures are of.', 0).optional(),
  count: number('Number of places with a value.', 1199),
  empty: number('Number of places without a value.', 1),
  min: z
    .union([z.number(), z.string()])
    .optional()
    .meta({ description: 'Least of the values; of dates the earliest.', example: 1 }),
  max: z
    .union([z.number(), z.string()])
    .optional()
    .meta({ description: 'Greatest of the values; of dates the latest.', example: 68 }),
  mean: number('Mean of all values.', 34.5).optional(),
  standardDeviation: number('Standard deviation of all values, as a population.', 12.1).optional(),
  histogram: z
    .object({
      from: number('Lower side of the first bin.', 1),
      to: number('Upper side of the last bin.', 68),
      counts: z.array(z.int()).describe('Numbers of values in 64 bins of the same width.'),
    })
    .optional()
    .describe('How the values are spread.'),
  frequent: objects('The most frequent texts or booleans.', {
    value: z.union([z.string(), z.boolean()]).meta({ description: 'A frequent value.', example: 'sand' }),
    count: number('How often it comes.', 12),
  }).optional(),
});

export const Table = component('PreviewTable', {
  columns: objects('Columns of the table.', {
    name: text('Name of the column.', 'depth'),
    unit: text('Symbol of the unit of the column.', 'm').optional(),
    type: z.enum(['number', 'text']).describe('Type of the values of the column.'),
  }),
  rows: z.array(z.array(cell)).describe('Rows with a value for each column.'),
  next: text('`cursor` of the next page. Absent: this is the last one.', 'MTAwLDAsMA').optional(),
  count: number('Number of rows of all pages, if it is known.', 1200).optional(),
  step: number('Number of the step of the rows.', 0).optional(),
  layer: number('Number of the layer of the rows.', 0).optional(),
  time: z
    .union([z.string(), z.number()])
    .optional()
    .meta({ description: 'Time of the rows.', example: '2026-01-31T12:00:00' }),
});

const itemText = 'Item: its id, or a name that only one has.';
const items = queryList(z.string().max(300))
  .max(200)
  .optional()
  .describe(`${itemText} Repeat it for several. Default: all.`);
const item = textUpTo(300, `${itemText} Default: that of the preview.`, '0').optional();
const step = textUpTo(20, 'Number of the time step. Default: `best` of the preview.', '0').optional();
const layer = textUpTo(20, 'Number of the layer, 0 is the lowest. Default: the highest layer.', '0').optional();
const format = queryEnum(['json', 'csv'])
  .default('json')
  .meta({ description: 'Format of the numbers.', example: 'csv' });
const from = textUpTo(
  60,
  'Start of the interval on the clock of the data, or an offset.',
  '2026-01-31T12:00:00',
).optional();
const to = textUpTo(
  60,
  'End of the interval on the clock of the data, or an offset.',
  '2026-02-01T12:00:00',
).optional();

export const ValuesQuery = z.object({
  point: queryList(z.string().max(100))
    .min(1)
    .max(100)
    .meta({ description: 'Longitude and latitude. Repeat it for several points.', example: ['9.03,54.15'] }),
  item: items,
  from,
  to,
  layer,
  tolerance: textUpTo(20, 'Metres around a point in which features are found. Default: 1.', '10').optional(),
  format,
});
export const ProfileQuery = z.object({
  line: textUpTo(10_000, 'Places of the line: longitude and latitude, with semicolons between.', '9,54.1;9.06,54.2'),
  item,
  step,
  layer,
  n: queryInteger(2, 1000).default(200).meta({ description: 'Number of points along the line.', example: 200 }),
  format,
});
export const SeriesQuery = z.object({
  item: items,
  from,
  to,
  points: queryInteger(4, 20_000)
    .default(2000)
    .meta({ description: 'Maximum number of points of an item.', example: 2000 }),
  format,
});
export const StatisticsQuery = z.object({ item, step, layer, format });
export const TableQuery = z.object({
  cursor: textUpTo(100, '`next` of the page before.', 'MTAwLDAsMA').optional(),
  limit: queryInteger(1, 1000).default(100).meta({ description: 'Maximum number of rows.', example: 100 }),
  step,
  layer,
  format,
});
