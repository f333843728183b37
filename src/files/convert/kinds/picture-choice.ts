import type { Crs } from '../../data/crs-reference.ts';
import { clockText } from '../../data/date-text.ts';
import type { Item } from '../../data/item.ts';
import { offsetOf, stepCount, type TimeAxis, timeOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { crsName } from '../../geo/crs/crs.ts';
import type { Heading } from '../../geo/draw/figure.ts';
import { stepsIn } from '../steps/temporal-filter.ts';

/**
 * Item, step and layer that a picture shows. Defaults: the first item, the highest layer and the last step, because
 * simulations begin with uniform values.
 */
export interface PictureChoice {
  /** Number from 0, or name. */
  item?: number | string;
  /** Number from 0, or milliseconds since 1970 on the data's own clock. */
  step?: number | { time: number };
  /** Number from 0 at the bottom. */
  layer?: number;
}

/** Number of the item that is drawn. */
export function chosenItem(items: readonly Pick<Item, 'name'>[], item: PictureChoice['item'] = 0): number {
  const n = typeof item === 'number' ? item : items.findIndex(({ name }) => name === item);
  if (items[n] !== undefined) return n;
  const shown = items.slice(0, 50).map(({ name }, k) => (name === undefined ? String(k) : `${k} '${name}'`));
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  const there = items.length === 0 ? 'The data have no items.' : `There are the items ${shown.join(', ')}${more}.`;
  throw new ConversionError(`There is no item ${typeof item === 'number' ? item : `'${item}'`}. ${there}`);
}

/** Number of the step that is drawn. */
export function chosenStep(time: TimeAxis | undefined, step?: PictureChoice['step']): number {
  if (typeof step === 'object') {
    if (time === undefined) throw new ConversionError('The data have no time axis, so no time can be chosen.');
    const filter = { type: 'TemporalFilterTransformation' as const, by: 'time' as const, at: [step.time] };
    return stepsIn(time, filter, { reportLoss() {} })[0]!;
  }
  const count = time === undefined ? 1 : stepCount(time);
  return checkedIndex('step', step ?? Math.max(0, count - 1), count);
}

/** Number of the layer that is drawn: the highest unless another is named. */
export const chosenLayer = (count: number, layer: PictureChoice['layer'] = count - 1): number =>
  checkedIndex('layer', layer, count);

function checkedIndex(what: string, n: number, count: number): number {
  if (n < count) return n;
  const there = count === 0 ? 'none' : count === 1 ? `one ${what}, 0` : `${what}s 0 to ${count - 1}`;
  throw new ConversionError(`There is no ${what} ${n}: the data have ${there}.`);
}

interface PictureSubject {
  readonly crs?: Crs | undefined;
  readonly time?: TimeAxis | undefined;
  readonly step?: number;
  readonly layer?: number;
  readonly layers?: number;
}

/** Title of the picture: the item, and below it time and layer. */
export function headingOf(
  { name }: Pick<Item, 'name'>,
  item: number,
  { crs, time, step = 0, layer = 0, layers = 1 }: PictureSubject,
): Heading {
  const parts = [
    ...(time === undefined ? [] : [momentOf(time, step)]),
    ...(time === undefined || stepCount(time) < 2 ? [] : [`step ${step} of 0 to ${stepCount(time) - 1}`]),
    ...(layers < 2 ? [] : [`layer ${layer} of 0 to ${layers - 1}`]),
    ...(crs === undefined || crsName(crs) === 'unknown' ? [] : [crsName(crs)]),
  ];
  return { title: name ?? `Item ${item}`, subtitle: parts.join('  ·  ') };
}

/** Time of a step as people read it. */
function momentOf(time: TimeAxis, step: number): string {
  if (time.start !== undefined) return clockText(timeOf(time, step)).replace('T', ' ');
  const offset = Number(offsetOf(time, step).toPrecision(12));
  return `${offset} ${time.unit}${offset === 1 ? '' : 's'} after the start`;
}
