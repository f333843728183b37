import { z } from 'zod';
import { component } from '../../../http/rules/members.ts';
import { cells } from './cells.ts';

export const RasterizeTransformation = component(
  'RasterizeTransformation',
  {
    type: z.literal('rasterizeTransformation').describe('Kind, in any letter case.'),
    rasterize: z
      .object({
        ...cells,
        field: z.string().describe('Field of numbers that is burned.').optional(),
        value: z.number().describe('Number that is burned instead of a field; default: 1.').optional(),
        allTouched: z.boolean().describe('Burns all cells that a feature touches; default: false.').optional(),
        method: z
          .enum(['last', 'sum', 'min', 'max'])
          .describe('Value of a cell with several features; default: `last`.')
          .optional(),
      })
      .describe('The cells, by `cellSize` or `like`, and what is burned into them.'),
  },
  'Burns features into a grid.',
);
