import { z } from 'zod';
import { Srid } from '../../srid.ts';

const column = (what: string) =>
  z.string().describe(`Name of the column ${what}. Default: by its name; an empty text: none.`).optional();

/** Parameters of readers of tables, which say what their rows and columns are. */
export const tableParameters = {
  Header: z
    .boolean()
    .describe('Whether the first row has the names of the columns. Default: if it has no numbers.')
    .optional(),
  Kind: z
    .enum(['series', 'points'])
    .describe('What the rows are. Default: points if there are coordinates, else series if there is a time.')
    .optional(),
  X: column('of x, easting or longitude'),
  Y: column('of y, northing or latitude'),
  Z: column('of heights'),
  Wkt: column('of geometries as WKT'),
  Time: column('of times'),
  TimeFormat: z
    .string()
    .min(1)
    .describe('Form of the times in letters of Unicode TR 35, such as dd/MM/yyyy HH:mm. Default: ISO 8601.')
    .optional(),
  Item: column('of the names of items, where each row has one value'),
  Value: column('of the values, where each row has one value'),
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. The format does not store it.').optional(),
};

const schema = z.object(tableParameters);
export type TableParameters = z.output<typeof schema>;
