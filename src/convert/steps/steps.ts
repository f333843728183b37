import type { Transformation } from './transformation-shapes.ts';

/** What a kind of data does for each transformation that it is offered; `W` is what a conversion of that kind carries along. */
export type Steps<D, W> = {
  readonly [T in Transformation['type']]?: (
    data: D,
    step: Extract<Transformation, { type: T }>,
    way: W,
  ) => D | Promise<D>;
};

/** The data behind all steps, in the order of the request. They were checked against what is offered. */
export async function taken<D, W>(data: D, steps: Steps<D, W>, wanted: readonly Transformation[], way: W): Promise<D> {
  let changed = data;
  for (const step of wanted) {
    const take = steps[step.type] as ((data: D, step: Transformation, way: W) => D | Promise<D>) | undefined;
    if (take === undefined) throw new Error(`${step.type} was not refused.`);
    changed = await take(changed, step, way);
  }
  return changed;
}
