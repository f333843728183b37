import type { Grid } from '../../../data/grid.ts';
import type { Item } from '../../../data/item.ts';
import type { MultiArray } from '../../../data/multi-array.ts';
import { FormatError } from '../../../errors.ts';
import type { ValueArray } from '../value-array.ts';
import { asArray } from './array.ts';
import { type Clock, clockOf } from './clock.ts';
import { curvilinearOf } from './curvilinear.ts';
import { Dimensions, type View } from './dimensions.ts';
import { asGrid } from './grid.ts';
import { placeOf } from './horizontal-axes.ts';
import { reportInvalid } from './invalid-values.ts';
import { itemOf, longNames, variablesOf } from './items.ts';
import { realNumbers } from './numbers.ts';
import { readPacking } from './packing.ts';
import { stepBoundsOf, valueKindOf } from './value-kind.ts';
import { type CfContext, type CfFile, type CfVariable, shortened, textOf } from './variable.ts';

/** Data of a file, and the array of each of its items: time first if the item has it, then its own dimensions. */
export interface CfData {
  readonly data: Grid | MultiArray;
  readonly arrays: readonly ValueArray[];
  /** Reads the variables that name valid values, and reports how many others they have. */
  reportInvalid(signal: AbortSignal): Promise<void>;
}

export interface CfOptions {
  /** `long`: items have the long names of their variables. */
  readonly names?: 'long';
  /** Names of the items to read; a function, so that it can say what is missing. */
  readonly allowed?: (items: readonly Item[]) => readonly number[];
}

/**
 * The variables of a file by the conventions of CF: a grid if all of them have the same evenly spaced x and y, else an
 * array.
 * @throws FormatError for a file without variables, or with times that cannot be kept
 */
export async function readCf(file: CfFile, context: CfContext, options: CfOptions = {}): Promise<CfData> {
  const { chosen: all, scalars, left } = variablesOf(file);
  if (all.length === 0) throw new FormatError('The file has no variables with values besides coordinates.');
  const names = options.names === 'long' ? longNames(all) : all.map(({ metadata }) => metadata.name);
  const allowed = options.allowed?.(names.map((name) => ({ name }))) ?? [...all.keys()];
  const chosen = allowed.map((n) => all[n]!);
  const packings = chosen.map((variable) => readPacking(variable, context));
  const clock = await clockOf(file, chosen, scalars, context);
  const bounds = await stepBoundsOf(file, clock);
  const dimensions = new Dimensions(file, context);
  const views: View[] = [];
  for (const [n, variable] of chosen.entries()) {
    const view = await dimensions.viewOf(variable, clock);
    const packing = packings[n]!;
    const valueKind = clock && valueKindOf(variable, bounds, clock.dimension ?? 'time', context);
    const item = { ...itemOf(variable, packing, context), name: names[allowed[n]!]!, ...(valueKind && { valueKind }) };
    views.push({ variable, packing, ...view, item });
  }
  await reportScalars(scalars, clock, context);
  const curved = await curvilinearOf(file, views, context);
  const unused = left.filter((name) => curved?.names.includes(name) !== true);
  if (unused.length > 0)
    context.reportLoss(
      `Variables besides the data were left out: ${unused.map((name) => `'${shortened(name)}'`).join(', ')}.`,
    );
  const place = curved === undefined ? await placeOf(file, views, dimensions, context) : undefined;
  const grid = curved === undefined ? await asGrid(views, clock, place, dimensions, context) : undefined;
  const data = grid ?? (await asArray(views, clock, curved ?? place, dimensions));
  return {
    data,
    arrays: views.map(({ array }) => array),
    reportInvalid: (signal) => reportInvalid(views, context, signal),
  };
}

async function reportScalars(
  scalars: readonly CfVariable[],
  clock: Clock | undefined,
  { reportLoss }: CfContext,
): Promise<void> {
  for (const scalar of scalars) {
    if (scalar === clock?.variable) continue;
    const [value] = await realNumbers(scalar);
    const units = textOf(scalar.metadata.attributes.units);
    reportLoss(
      `The coordinate '${shortened(scalar.metadata.name)}', ${value}${units === undefined ? '' : ` ${shortened(units)}`}, was left out.`,
    );
  }
}
