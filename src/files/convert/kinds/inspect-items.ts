import { clockText } from '../../data/date-text.ts';
import { defined } from '../../data/defined.ts';
import type { Item } from '../../data/item.ts';
import type { ItemStatistics } from '../../data/item-statistics.ts';
import { offsetOf, stepCount, type TimeAxis, timeOf } from '../../data/time-axis.ts';
import type { ItemInspection, TimeInspection } from '../inspection.ts';

/** Describes items, with the statistics of their values if they were read. */
export const inspectItems = (items: readonly Item[], statistics?: ItemStatistics): ItemInspection[] =>
  items.map(({ name, unit, type, eum, valueKind, nodata }, n) => ({
    ...(statistics === undefined ? defined({ name, unit }) : statistics.items[n]!),
    ...(type === undefined ? {} : { type }),
    ...(eum === undefined ? {} : { eum }),
    ...(valueKind === undefined ? {} : { valueKind }),
    ...(nodata === undefined ? {} : { nodata: Number.isFinite(nodata) ? nodata : String(nodata).toLowerCase() }),
  }));

export function inspectTime(axis: TimeAxis): TimeInspection {
  const steps = stepCount(axis);
  const at = (step: number) => (axis.start === undefined ? offsetOf(axis, step) : clockText(timeOf(axis, step)));
  return {
    steps,
    axis: axis.start === undefined ? 'relative' : 'calendar',
    spacing: axis.spacing,
    unit: axis.unit,
    ...(steps === 0 ? {} : { first: at(0), last: at(steps - 1) }),
    ...(axis.spacing === 'equidistant' ? { interval: axis.interval } : {}),
  };
}
