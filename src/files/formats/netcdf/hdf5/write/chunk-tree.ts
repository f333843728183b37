import { UNDEFINED, u8, u16, u32, u64 } from './bytes.ts';

/** A chunk in the file. */
export interface StoredChunk {
  /** Index of the chunk in each dimension. */
  readonly index: readonly number[];
  readonly address: number;
  readonly bytes: number;
}

/** Children of a node, by HDF5's default. */
const mostChildren = 64;

interface Child {
  readonly key: Buffer;
  readonly address: number;
}

/** Chunks by their indices. */
export function compareChunks(
  { index: one }: Pick<StoredChunk, 'index'>,
  { index: other }: Pick<StoredChunk, 'index'>,
): number {
  for (let d = 0; d < one.length; d++) if (one[d] !== other[d]) return one[d]! - other[d]!;
  return 0;
}

/**
 * The nodes of a B-tree of version 1 over the chunks of a dataset, leaves first; the last one is the root.
 * @param start address of the first node
 */
export function chunkTree(
  given: readonly StoredChunk[],
  lengths: readonly number[],
  start: number,
): { bytes: Buffer; root: number } {
  if (given.length === 0) return { bytes: Buffer.alloc(0), root: UNDEFINED };
  const chunks = given.toSorted(compareChunks);
  const keyOf = (bytes: number, index: readonly number[]) =>
    Buffer.concat([u32(bytes, 0), u64(...index.map((n, d) => n * lengths[d]!), 0)]);
  const end = keyOf(
    0,
    chunks.at(-1)!.index.map((n) => n + 1),
  );
  const nodeBytes = 24 + (mostChildren + 1) * end.length + mostChildren * 8;
  const parts: Buffer[] = [];
  let address = start;
  let children: Child[] = chunks.map((chunk) => ({ key: keyOf(chunk.bytes, chunk.index), address: chunk.address }));
  for (let level = 0; ; level++) {
    const count = Math.ceil(children.length / mostChildren);
    const first = address;
    const next: Child[] = [];
    for (let n = 0; n < count; n++) {
      const own = children.slice(n * mostChildren, (n + 1) * mostChildren);
      const node = Buffer.alloc(nodeBytes);
      Buffer.concat([
        Buffer.from('TREE'),
        u8(1, level),
        u16(own.length),
        u64(n === 0 ? UNDEFINED : address - nodeBytes, n === count - 1 ? UNDEFINED : address + nodeBytes),
        ...own.flatMap((child) => [child.key, u64(child.address)]),
        children[(n + 1) * mostChildren]?.key ?? end,
      ]).copy(node);
      parts.push(node);
      next.push({ key: own[0]!.key, address });
      address += nodeBytes;
    }
    if (count === 1) return { bytes: Buffer.concat(parts), root: first };
    children = next;
  }
}
