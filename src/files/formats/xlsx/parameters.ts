import { z } from 'zod';
import { tableParameters } from '../io/table/parameters.ts';

export const readParameters = z.object({
  Layer: z.string().min(1).describe('Name of the sheet, for a workbook with several.').optional(),
  ...tableParameters,
});
