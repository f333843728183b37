import type { ItemDefinition } from '../../../data/redefine-item.ts';

/** Other name, quantity or unit of an item. */
export interface ItemRedefinition extends ItemDefinition {
  /** Name of the item, or its index from 0. */
  readonly item: string | number;
}

/** Changes what items are called and measure, and no values. */
export interface ItemTransformation {
  readonly type: 'ItemTransformation';
  /** All name the items as they were before the first one. */
  readonly redefinitions: readonly ItemRedefinition[];
}
