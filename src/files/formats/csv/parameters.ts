import { z } from 'zod';
import { pointsParameter } from '../bridge-parameters.ts';
import { Srid } from '../srid.ts';
import { TextEncoding } from '../text-encoding.ts';

const column = (what: string) =>
  z.string().describe(`Name of the column ${what}. Default: by its name; an empty text: none.`).optional();

export const readParameters = z.object({
  Separator: z
    .string()
    .regex(/^(?:[^\s"\w.+-]|\t|\\t|tab)$/i, 'a separator is one character, such as ; or tab')
    .describe(
      'What separates cells: a comma, semicolon, tab or |. Default: the one that gives the same count in all rows.',
    )
    .optional(),
  DecimalSeparator: z.enum(['.', ',']).describe('Decimal point or comma. Default: as the numbers have it.').optional(),
  Encoding: TextEncoding.describe('Encoding of the text, such as UTF-8 or CP1252. Default: UTF-8 if valid.').optional(),
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
});

export const writeParameters = z.object({ ...pointsParameter });

export type ReadParameters = z.output<typeof readParameters>;
