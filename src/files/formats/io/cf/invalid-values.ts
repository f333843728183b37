import type { ValueArray } from '../value-array.ts';
import type { View } from './dimensions.ts';
import { type CfContext, shortened } from './variable.ts';

/** Values that are read at a time. */
const blockValues = 1 << 20;

/** Reads the variables that name valid values, and reports how many others they have. */
export async function reportInvalid(
  views: readonly Pick<View, 'variable' | 'packing'>[],
  { reportLoss }: CfContext,
  signal: AbortSignal,
): Promise<void> {
  for (const { variable, packing } of views) {
    const { countInvalid, valid } = packing;
    if (countInvalid === undefined) continue;
    let count = 0;
    for (const { start, extent } of blocks(variable.metadata)) {
      signal.throwIfAborted();
      count += countInvalid(await variable.read(start, extent));
    }
    if (count > 0)
      reportLoss(
        `${count} ${count === 1 ? 'value' : 'values'} of '${shortened(variable.metadata.name)}' outside of the valid ${valid!.least} to ${valid!.most} became no data.`,
      );
  }
}

/** Blocks of whole chunks that cover an array. */
function* blocks({ shape, chunks }: ValueArray['metadata']): Generator<{ start: number[]; extent: number[] }> {
  if (shape.some((length) => length === 0)) return;
  const extent = [...chunks];
  for (let d = extent.length - 1; d >= 0; d--) {
    const rest = extent.reduce((product, length, n) => (n === d ? product : product * length), 1);
    const most = Math.max(1, Math.floor(blockValues / (rest * chunks[d]!)));
    extent[d] = Math.min(shape[d]!, chunks[d]! * most);
  }
  const start = shape.map(() => 0);
  for (;;) {
    yield { start: [...start], extent: extent.map((length, d) => Math.min(length, shape[d]! - start[d]!)) };
    let d = shape.length - 1;
    for (; d >= 0; d--) {
      start[d]! += extent[d]!;
      if (start[d]! < shape[d]!) break;
      start[d] = 0;
    }
    if (d < 0) return;
  }
}
