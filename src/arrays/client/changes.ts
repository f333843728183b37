import { eumItemNamed, eumUnitNamed, type Item, redefinedItem, stepCount } from 'hydrofiles/data';
import { ConversionError } from 'hydrofiles/errors';
import { visibleDataset } from '../../datasets/access.ts';
import { invalidMember, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { checkRowVersion } from '../../http/rules/row-version.ts';
import { requireCapability } from '../../projects/access.ts';
import type { Summary } from '../../transfers/queries.ts';
import { startRewrite } from '../../transfers/starts/rewrite.ts';
import type { DryRun, StartParts } from '../../transfers/starts/start.ts';
import { type StoreParts, withDataset } from '../dataset.ts';
import type { OpenDataset } from '../stores.ts';

export interface ChangeParts extends StoreParts {
  readonly starts: StartParts;
}

interface Change {
  readonly id: string;
  readonly index: number;
  readonly rowVersion?: string | undefined;
}

export interface ItemChange extends Change {
  readonly name?: string | undefined;
  /** Identifiers of EUM. */
  readonly item?: string | undefined;
  readonly unit?: string | undefined;
}

/**
 * Starts a transfer that gives an item another name, quantity or unit. Undefined: the item has them already. Indices
 * of items do not change, so a change that is sent twice does nothing the second time.
 */
export async function redefineItem(
  parts: ChangeParts,
  caller: Caller,
  { id, index, rowVersion, name, item, unit }: ItemChange,
): Promise<Summary | undefined> {
  const content = await writableContent(parts, caller, { id, rowVersion }, ({ variables }) => {
    const { item: before } = variables[index] ?? {};
    if (before === undefined) throw notFound('Item', String(index));
    return isSame(before, redefined(before, { name, item, unit }));
  });
  if (content.read) return undefined;
  const itemRedefinitions = [{ itemIndex: index, newName: name, newItemId: item, newUnitId: unit }];
  const transformations = [{ type: 'itemTransformation', itemRedefinitions }];
  return started(
    await startRewrite(
      parts.starts,
      caller,
      { datasetId: id, content: content.blob, rowVersion, transformations },
      false,
    ),
  );
}

/** Starts a transfer that removes a step of all items. */
export async function deleteStep(
  parts: ChangeParts,
  caller: Caller,
  { id, index, rowVersion }: Change,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { blob } = await writableContent(parts, caller, { id, rowVersion }, ({ data: { time } }) => {
    if (time === undefined)
      throw invalidMember('timestepIndex', `Dataset '${id}' has no time axis, so it has no step to remove.`);
    const steps = stepCount(time);
    if (index >= steps)
      throw invalidMember('timestepIndex', `There is no step ${index}. Dataset '${id}' has ${steps} steps, from 0.`);
    if (steps === 1)
      throw invalidMember('timestepIndex', `Step 0 is the only one of dataset '${id}'. Delete the dataset instead.`);
  });
  const temporalFilter = { type: 'TemporalIndexListFilter', except: [index] };
  const transformations = [{ type: 'temporalFilterTransformation', temporalFilter }];
  return startRewrite(parts.starts, caller, { datasetId: id, content: blob, rowVersion, transformations }, dryRun);
}

/** Reads a dataset that the caller may change, and tells which content that was. */
async function writableContent<T>(
  parts: ChangeParts,
  caller: Caller,
  { id, rowVersion }: Pick<Change, 'id' | 'rowVersion'>,
  read: (dataset: OpenDataset) => T,
): Promise<{ read: T; blob: string }> {
  const found = await visibleDataset(parts.db, caller, id);
  requireCapability({ ...found, id: found.projectId }, 'canUpdateContent');
  checkRowVersion('Dataset', found, rowVersion);
  return withDataset(parts, { caller }, id, async (dataset, { blob = '' }) => ({ read: read(dataset), blob }));
}

function redefined(before: Item, { name, item, unit }: Pick<ItemChange, 'name' | 'item' | 'unit'>): Item {
  const quantity = item === undefined ? undefined : eumItemNamed(item)?.code;
  try {
    return redefinedItem(before, { name, quantity, unit: unit === undefined ? undefined : eumUnitNamed(unit)?.code });
  } catch (error) {
    if (error instanceof ConversionError) throw invalidMember(unit === undefined ? 'item' : 'unit', error.message);
    throw error;
  }
}

const isSame = (one: Item, other: Item): boolean =>
  one.name === other.name && one.eum?.item === other.eum?.item && one.eum?.unit === other.eum?.unit;

/** Only a dry run has no transfer. */
function started(summary: Summary | DryRun): Summary {
  if ('valid' in summary) throw new Error('A start answered like a dry run.');
  return summary;
}
