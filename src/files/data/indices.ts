/** Chosen indices of a dimension, rising. */
export type Indices = Uint32Array | { readonly first: number; readonly length: number };

/** Positions of the chosen indices of a dimension: `at` in the chunk, `to` in the result. */
export interface ChunkPart {
  readonly chunk: number;
  readonly to: number;
  readonly at: Indices;
}

/** The chunks of a dimension that hold the chosen indices. */
export function partsOf(indices: Indices, chunk: number): ChunkPart[] {
  const parts: ChunkPart[] = [];
  const { length } = indices;
  for (let to = 0, end = 0; to < length; to = end) {
    const number = Math.floor(indexAt(indices, to) / chunk);
    if (indices instanceof Uint32Array) {
      for (end = to; end < length && indices[end]! < (number + 1) * chunk; ) end++;
      parts.push({ chunk: number, to, at: indices.slice(to, end).map((one) => one - number * chunk) });
    } else {
      const first = indices.first + to - number * chunk;
      end = Math.min(length, to + chunk - first);
      parts.push({ chunk: number, to, at: { first, length: end - to } });
    }
  }
  return parts;
}

const indexAt = (indices: Indices, n: number): number =>
  indices instanceof Uint32Array ? indices[n]! : indices.first + n;
