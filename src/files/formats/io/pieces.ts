import type { ByteSink, ByteSource } from '../../data/bytes.ts';
import { FileSource } from './bytes.ts';

/** The bytes of a source or of a part of it, in pieces of up to `size` bytes. */
export async function* piecesOf(
  source: ByteSource,
  {
    start = 0,
    length = source.size - start,
    size = 1 << 20,
    signal,
  }: { start?: number; length?: number; size?: number | undefined; signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array> {
  const end = start + length;
  for (let at = start; at < end; ) {
    signal?.throwIfAborted();
    const piece = await source.read(at, Math.min(size, end - at));
    if (piece.length === 0) throw new Error(`The input ended at byte ${at} of ${end}.`);
    at += piece.length;
    yield piece;
  }
}

/** Appends a local file to the output. */
export async function copyFile(path: string, sink: ByteSink, signal: AbortSignal): Promise<void> {
  await using file = await FileSource.open(path, { checksum: false });
  for await (const piece of piecesOf(file, { signal })) await sink.append(piece);
}
