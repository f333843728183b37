import type { ValueKind } from '../../../data/item.ts';
import type { Clock } from './clock.ts';
import { realNumbers } from './numbers.ts';
import { type CfContext, type CfFile, type CfVariable, shortened, textOf } from './variable.ts';

/** How the bounds of the steps lie to their times. */
export type StepBounds = 'none' | 'backward' | 'forward' | 'fromFirst' | 'other';

export async function stepBoundsOf(file: CfFile, clock: Clock | undefined): Promise<StepBounds> {
  const { variable } = clock ?? {};
  const bounds = file.variables.get(textOf(variable?.metadata.attributes.bounds) ?? '');
  const count = variable?.metadata.shape[0] ?? 0;
  const shape = bounds?.metadata.shape;
  if (variable === undefined || bounds === undefined || shape?.length !== 2 || shape[0] !== count || shape[1] !== 2)
    return 'none';
  const [times, pairs] = [await realNumbers(variable), await realNumbers(bounds)];
  const all = (test: (from: number, to: number, time: number) => boolean) =>
    times.every((time, n) => test(pairs[2 * n]!, pairs[2 * n + 1]!, time));
  if (count > 1 && all((from, to, time) => from === pairs[0] && to === time)) return 'fromFirst';
  if (all((_, to, time) => to === time)) return 'backward';
  return all((from, _, time) => from === time) ? 'forward' : 'other';
}

/** The kind of value by `cell_methods` on time; absent: instantaneous. */
export function valueKindOf(
  { metadata: { name, attributes } }: CfVariable,
  bounds: StepBounds,
  time: string,
  { remark }: Pick<CfContext, 'remark'>,
): ValueKind | undefined {
  const method = methodOver(textOf(attributes.cell_methods) ?? '', time);
  if (method === undefined || method === 'point') return undefined;
  if (method === 'sum' && bounds === 'fromFirst') return 'accumulated';
  if (method === 'sum' && (bounds === 'backward' || bounds === 'none')) return 'stepAccumulated';
  if (method === 'mean' && bounds === 'forward') return 'meanStepForward';
  if (method === 'mean' && bounds !== 'other') return 'meanStepBackward';
  remark(
    `The values of '${shortened(name)}' are '${shortened(method)}' over time, and their bounds fit no kind of value; they were taken as instantaneous.`,
  );
  return undefined;
}

/** The method after the name of the dimension: `area: mean time: sum (interval: 1 hour)`. */
function methodOver(text: string, time: string): string | undefined {
  const parts = text.replace(/\([^()]*\)/g, '').split(/\s+/);
  for (let n = 0; n < parts.length; n++) {
    if (parts[n] !== `${time}:` && parts[n] !== 'time:') continue;
    return parts.slice(n + 1).find((word) => !word.endsWith(':'));
  }
  return undefined;
}
