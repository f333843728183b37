import type { Boxes } from '../../geo/vector/spatial-order.ts';
import type { BufferedWriter } from '../io/buffered-writer.ts';
import { levelSizes, nodeBytes, nodeSize } from '../io/flatgeobuf/schema.ts';

/** Writes the packed R-tree of the features in this order: the root first, the leaves last. */
export async function writeIndex(
  out: BufferedWriter,
  boxes: Boxes,
  order: Uint32Array,
  sizes: Uint32Array,
): Promise<void> {
  const levels = levelSizes(order.length);
  const parents = parentBoxes(boxes, order, levels);
  let first = 0;
  for (let level = levels.length - 1; level > 0; level--) {
    const below = first + levels[level]!;
    const boxesOfLevel = parents[level - 1]!;
    for (let n = 0; n < levels[level]!; n++) putNode(out, boxesOfLevel, 4 * n, below + nodeSize * n);
    await out.drain();
    first = below;
  }
  const box = new Float64Array(4);
  let offset = 0;
  for (let n = 0; n < order.length; n++) {
    const feature = order[n]!;
    boxes.copy(feature, box, 0);
    putNode(out, box, 0, offset);
    offset += sizes[feature]!;
    if (n % 4096 === 0) await out.drain();
  }
}

/** The boxes of the nodes of each level above the leaves. */
function parentBoxes(boxes: Boxes, order: Uint32Array, levels: readonly number[]): Float64Array[] {
  const parents: Float64Array[] = [];
  for (let level = 1; level < levels.length; level++) {
    const children = parents[level - 2];
    const nodes = new Float64Array(4 * levels[level]!);
    for (let n = 0; n < nodes.length; n++) nodes[n] = n % 4 < 2 ? Infinity : -Infinity;
    for (let n = 0; n < levels[level - 1]!; n++) {
      const to = 4 * Math.floor(n / nodeSize);
      if (children === undefined) boxes.copy(order[n]!, nodes, to, true);
      else
        for (let k = 0; k < 4; k++) {
          const value = children[4 * n + k]!;
          nodes[to + k] = k < 2 ? Math.min(nodes[to + k]!, value) : Math.max(nodes[to + k]!, value);
        }
    }
    parents.push(nodes);
  }
  return parents;
}

function putNode(out: BufferedWriter, box: Float64Array, from: number, offset: number): void {
  out.reserve(nodeBytes);
  let at = out.at;
  for (let k = 0; k < 4; k++) at = out.bytes.writeDoubleLE(box[from + k]!, at);
  // A double holds all offsets below 8 PB.
  at = out.bytes.writeUInt32LE(offset % 2 ** 32, at);
  out.at = out.bytes.writeUInt32LE(Math.floor(offset / 2 ** 32), at);
}
