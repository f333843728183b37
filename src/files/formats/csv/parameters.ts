import { z } from 'zod';
import { pointsParameter } from '../bridge-parameters.ts';
import { tableParameters } from '../io/table/parameters.ts';
import { TextEncoding } from '../text-encoding.ts';

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
  ...tableParameters,
});

export const writeParameters = z.object({ ...pointsParameter });
