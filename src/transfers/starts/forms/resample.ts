import { z } from 'zod';
import { component } from '../../../http/rules/members.ts';
import { cells } from './cells.ts';

export const ResampleTransformation = component(
  'ResampleTransformation',
  {
    type: z.literal('resampleTransformation').describe('Kind, in any letter case.'),
    resample: z
      .object({
        ...cells,
        method: z
          .enum(['nearest', 'bilinear', 'cubic', 'average', 'sum', 'min', 'max', 'mode'])
          .describe('Absent: `bilinear` for floats, `nearest` for integers.')
          .optional(),
      })
      .describe('The cells, by at least one of `cellSize`, `extent` and `like`, and the method.'),
  },
  'Resamples a grid to other cells. A mesh becomes a grid.',
);
