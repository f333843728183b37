import type { Data, DataKind } from '../../data/data.ts';
import type { Context } from '../../formats/define.ts';

/** A change of kind between a reader and a writer that takes another kind, after the transformations. */
export interface Bridge {
  readonly from: DataKind;
  readonly to: DataKind;
  change(data: Data, context: Context): Promise<Data>;
}

/** One row per change; the first that leads to a kind that the writer takes is used. */
const bridges: readonly Bridge[] = [];

/** The bridge from a kind to one of those that a writer accepts; undefined where there is none. */
export const bridgeTo = (accepted: readonly DataKind[], from: DataKind): Bridge | undefined =>
  bridges.find((bridge) => bridge.from === from && accepted.includes(bridge.to));
