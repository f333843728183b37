import { z } from 'zod';
import { component } from '../../../http/rules/members.ts';

export const ContoursTransformation = component(
  'ContoursTransformation',
  {
    type: z.literal('contoursTransformation').describe('Kind, in any letter case.'),
    contours: z
      .object({
        levels: z.array(z.number()).describe('The levels, in units of the item; instead of `interval`.').optional(),
        interval: z.number().describe('Distance of the levels; instead of `levels`.').optional(),
        base: z.number().describe('A level that `interval` counts from; absent: 0.').optional(),
        as: z
          .enum(['lines', 'polygons'])
          .describe('Lines on the levels, or polygons between two of them; absent: `lines`.')
          .optional(),
      })
      .describe('The levels and what to make of them.'),
  },
  'Makes contours of a grid or a mesh.',
);
