import type { Grid } from '../../../data/grid.ts';
import type { MultiArray } from '../../../data/multi-array.ts';
import { FormatError } from '../../../errors.ts';
import type { ValueArray } from '../value-array.ts';
import { asArray } from './array.ts';
import { type Clock, clockOf } from './clock.ts';
import { Dimensions, type View } from './dimensions.ts';
import { asGrid } from './grid.ts';
import { placeOf } from './horizontal-axes.ts';
import { reportInvalid } from './invalid-values.ts';
import { itemOf, variablesOf } from './items.ts';
import { realNumbers } from './numbers.ts';
import { packingOf } from './packing.ts';
import { type CfContext, type CfFile, type CfVariable, shortened, textOf } from './variable.ts';

/** Data of a file, and the array of each of its items: time first if the item has it, then its own dimensions. */
export interface CfData {
  readonly data: Grid | MultiArray;
  readonly arrays: readonly ValueArray[];
  /** Reads the variables that name valid values, and reports how many others they have. */
  reportInvalid(signal: AbortSignal): Promise<void>;
}

/**
 * The variables of a file by the conventions of CF: a grid if all of them have the same evenly spaced x and y, else an
 * array.
 * @throws FormatError for a file without variables, or with times that cannot be kept
 */
export async function readCf(file: CfFile, context: CfContext): Promise<CfData> {
  const { chosen, scalars, left } = variablesOf(file);
  if (chosen.length === 0) throw new FormatError('The file has no variables with values besides coordinates.');
  const packings = chosen.map(({ metadata }) => packingOf(metadata));
  for (const [n, { ignored }] of packings.entries())
    for (const key of ignored)
      context.remark(
        `'${key}' of '${shortened(chosen[n]!.metadata.name)}' was ignored: its type does not have the value.`,
      );
  const clock = await clockOf(file, chosen, scalars, context);
  const dimensions = new Dimensions(file, context);
  const views: View[] = [];
  for (const [n, variable] of chosen.entries()) {
    const view = await dimensions.viewOf(variable, clock);
    const packing = packings[n]!;
    views.push({ variable, packing, ...view, item: itemOf(variable, packing) });
  }
  await reportScalars(scalars, clock, context);
  if (left.length > 0)
    context.reportLoss(
      `Variables besides the data were left out: ${left.map((name) => `'${shortened(name)}'`).join(', ')}.`,
    );
  const place = await placeOf(file, views, dimensions, context);
  const data =
    (await asGrid(views, clock, place, dimensions, context)) ?? (await asArray(views, clock, place, dimensions));
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
