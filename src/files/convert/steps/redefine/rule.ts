import { readEumItem, readEumUnit, readItemName } from '../item-members.ts';
import { isIndex, isText, type Members } from '../request-members.ts';
import type { StepRule } from '../rule.ts';
import type { ItemRedefinition, ItemTransformation } from './transformation.ts';

export const redefine: StepRule<ItemTransformation> = {
  needs: 'items',
  makes: { grid: ['grid'], mesh: ['mesh'], series: ['series'], array: ['array'] },
  read(members) {
    const given = members.objects('itemRedefinitions', 'an object with originalName and newName');
    return { type: 'ItemTransformation', redefinitions: given.flatMap((one) => readRedefinition(one) ?? []) };
  },
  load: () => import('./step.ts'),
};

function readRedefinition(members: Members): ItemRedefinition | undefined {
  const originalName = members.may('originalName', isText, 'the name of an item');
  const itemIndex = members.may('itemIndex', isIndex, 'the index of an item, from 0');
  if (members.has('originalName') === members.has('itemIndex'))
    members.refuse('originalName', `${members.path} must have one of originalName and itemIndex.`);
  const name = members.has('newName') ? readItemName(members, 'newName') : undefined;
  const quantity = members.has('newItemId') ? readEumItem(members, 'newItemId') : undefined;
  const unit = members.has('newUnitId') ? readEumUnit(members, 'newUnitId') : undefined;
  if (!['newName', 'newItemId', 'newUnitId'].some((member) => members.has(member)))
    members.refuse('newName', `${members.path} must have newName, newItemId or newUnitId.`);
  const item = originalName ?? itemIndex;
  if (item === undefined) return undefined;
  return {
    item,
    ...(name === undefined ? {} : { name }),
    ...(quantity === undefined ? {} : { quantity }),
    ...(unit === undefined ? {} : { unit }),
  };
}
