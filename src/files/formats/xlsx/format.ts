import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const xlsxReader = defineReader({
  name: 'XlsxReader',
  description: 'Excel workbook (.xlsx): a sheet as points, geometries as WKT, time series, or rows without a place.',
  format: 'xlsx',
  produces: ['features', 'series'],
  has: ['place', 'items', 'times'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
