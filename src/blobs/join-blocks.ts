import type { StoredBlock } from './blobs.ts';

/**
 * Blocks up to this size are read into memory, several at once; a request for each in turn would take most of the time.
 */
const SHORT = 1 << 20;
const MAX_READS = 32;
/** Bytes of short blocks in memory. */
const MAX_BYTES = 16 << 20;
/** Short blocks are joined to chunks of about this size. */
const CHUNK = 256 << 10;

interface Source {
  /** Reads a whole block. */
  readAll(id: string): Promise<Uint8Array>;
  open(id: string): Promise<AsyncIterable<Uint8Array>>;
}

/** The bytes of these blocks in this order, the next short blocks being read while one is passed on. */
export async function* joinBlocks(
  ids: readonly string[],
  stored: ReadonlyMap<string, Pick<StoredBlock, 'size'>>,
  { readAll, open }: Source,
): AsyncGenerator<Uint8Array> {
  const sizes = ids.map((id) => stored.get(id)?.size ?? 0);
  const reads: Promise<Uint8Array>[] = [];
  let next = 0;
  let bytes = 0;
  let gathered: Uint8Array[] = [];
  let size = 0;
  const flush = () => {
    const chunk = Buffer.concat(gathered, size);
    [gathered, size] = [[], 0];
    return chunk;
  };
  for (const [n, id] of ids.entries()) {
    next = Math.max(next, n);
    while (next < ids.length && reads.length < MAX_READS && bytes < MAX_BYTES && sizes[next]! <= SHORT) {
      const read = readAll(ids[next]!);
      // its failure is thrown when it is awaited, unless an earlier block fails
      read.catch(() => {});
      reads.push(read);
      bytes += sizes[next++]!;
    }
    if (sizes[n]! > SHORT) {
      if (size > 0) yield flush();
      yield* await open(id);
      continue;
    }
    const block = await reads.shift()!;
    bytes -= sizes[n]!;
    gathered.push(block);
    size += block.length;
    if (size >= CHUNK) yield flush();
  }
  if (size > 0) yield flush();
}
