import { z } from 'zod';
import { component } from '../../../http/rules/members.ts';

const type = <Name extends string>(name: Name) => z.literal(name).describe('Kind, in any letter case.');

export const MosaicTransformation = component(
  'MosaicTransformation',
  {
    type: type('mosaicTransformation'),
    mosaic: z
      .object({
        method: z
          .enum(['first', 'last', 'mean', 'min', 'max'])
          .meta({ description: 'Which value counts where several files have data.', example: 'first' }),
      })
      .describe('How the cells of the files are joined.'),
  },
  'Joins the grids of all files of `uploadUrls` into one that covers them all. It is the first transformation.',
);

export const StackTransformation = component(
  'StackTransformation',
  {
    type: type('stackTransformation'),
    stack: z
      .object({
        by: z.enum(['time', 'items']).meta({ description: 'What the files have of their own.', example: 'time' }),
      })
      .describe('How the steps or items of the files are joined.'),
  },
  'Joins the steps or the items of all files of `uploadUrls`, which have the same cells. It is the first transformation.',
);
