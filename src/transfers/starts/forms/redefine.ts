import { z } from 'zod';
import { component, textUpTo } from '../../../http/rules/members.ts';

const identifier = z.union([z.string(), z.int()]);

const ItemRedefinition = component('ItemRedefinition', {
  originalName: textUpTo(255, 'Name of the item.', 'Item 1').optional(),
  itemIndex: z.int().min(0).describe('Index of the item, from 0, instead of `originalName`.').optional(),
  newName: textUpTo(255, 'New name; absent: the old one.', 'Water level').optional(),
  newItemId: identifier
    .meta({ description: 'EUM quantity; absent: the old one.', example: 'eumIWaterLevel' })
    .optional(),
  newUnitId: identifier.meta({ description: 'EUM unit; absent: the old one.', example: 'eumUmeter' }).optional(),
});

export const ItemTransformation = component(
  'ItemTransformation',
  {
    type: z.literal('itemTransformation').describe('Kind, in any letter case.'),
    itemRedefinitions: z.array(ItemRedefinition).min(1).describe('Each names an item as it was before all of them.'),
  },
  'Changes names, quantities and units of items. Values stay as they are.',
);
