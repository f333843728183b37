import { z } from 'zod';
import { component, flag, text, textUpTo } from '../../../http/rules/members.ts';

const CalculatedItem = component('CalculatedItem', {
  name: textUpTo(255, 'Name of the new item.', 'depth'),
  expression: textUpTo(4096, 'Numbers, names of items, operators and functions.', '[Surface elevation] - bed'),
  unit: text('Unit; absent: that of the operands, if they agree.', 'eumUmeter').optional(),
  item: z
    .union([z.string(), z.int()])
    .meta({ description: 'EUM quantity of the new item.', example: 'eumIWaterDepth' })
    .optional(),
});

export const CalculateTransformation = component(
  'CalculateTransformation',
  {
    type: z.literal('calculateTransformation').describe('Kind, in any letter case.'),
    calculate: z.array(CalculatedItem).min(1).max(50).describe('The new items; each may name those before it.'),
    keep: flag('Whether the items of the data stay.').optional(),
  },
  'Calculates items from others, cell by cell.',
);
