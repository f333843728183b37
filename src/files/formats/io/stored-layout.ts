/** A codec of Zarr 2 that a chunk went through: `id` and its options. */
export type StoredFilter = Readonly<Record<string, number | string>> & { readonly id: string };

/** A chunk of an array, and its bytes in the file. */
export interface StoredBlock {
  /** Number of the chunk in each dimension. */
  readonly index: readonly number[];
  readonly offset: number;
  readonly length: number;
}

/** Where the values of an array lie in its file, chunk by chunk. */
export interface StoredLayout {
  /** Lengths of a chunk; all chunks have the same. */
  readonly chunks: readonly number[];
  readonly bigEndian: boolean;
  /** In the order in which the writer applied them; empty: the values are stored as they are. */
  readonly filters: readonly StoredFilter[];
  /** Chunks that the file does not have hold the fill value. */
  readonly blocks: Iterable<StoredBlock>;
}

/** Usual maximum of the bytes of a chunk of values that lie in one piece. */
const usualBytes = 1 << 20;

/**
 * The layout of values that lie in one piece, the last dimension varying fastest. Chunks have equal lengths, so each
 * dimension is cut into a number of chunks that divides it.
 * @param most bytes of a chunk, if the dimensions can be cut that far
 */
export function layoutInOnePiece(
  shape: readonly number[],
  { offset, bytesPerValue, bigEndian = false }: { offset: number; bytesPerValue: number; bigEndian?: boolean },
  most = usualBytes,
): StoredLayout {
  const chunks = [...shape];
  let bytes = shape.reduce((all, length) => all * length, bytesPerValue);
  for (let d = 0; d < shape.length && bytes > most; d++) {
    const row = bytes / shape[d]!;
    chunks[d] = largestDivisor(shape[d]!, Math.max(1, Math.floor(most / row)));
    bytes = row * chunks[d]!;
  }
  const counts = shape.map((length, d) => length / chunks[d]!);
  function* blocks(): Generator<StoredBlock> {
    const total = counts.reduce((all, count) => all * count, 1);
    for (let n = 0; n < total; n++) {
      const index = counts.map(() => 0);
      for (let d = counts.length - 1, left = n; d >= 0; left = Math.floor(left / counts[d]!), d--)
        index[d] = left % counts[d]!;
      yield { index, offset: offset + n * bytes, length: bytes };
    }
  }
  const isEmpty = shape.includes(0);
  return {
    chunks: isEmpty ? shape.map((length) => Math.max(1, length)) : chunks,
    bigEndian,
    filters: [],
    blocks: isEmpty ? [] : blocks(),
  };
}

/** The largest divisor of a number up to a limit. */
function largestDivisor(number: number, limit: number): number {
  let best = 1;
  for (let small = 1; small * small <= number; small++) {
    if (number % small !== 0) continue;
    if (small <= limit) best = Math.max(best, small);
    if (number / small <= limit) best = Math.max(best, number / small);
  }
  return best;
}
