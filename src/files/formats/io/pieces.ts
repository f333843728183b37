import type { ByteSink, ByteSource } from '../../data/bytes.ts';
import { FileSource } from './bytes.ts';

const pieceBytes = 1 << 20;

/** The bytes of a part of a source, in pieces of up to 1 MiB. */
export async function* piecesOf(
  source: ByteSource,
  { start, length, signal }: { start: number; length: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += pieceBytes) {
    signal.throwIfAborted();
    yield await source.read(start + at, Math.min(pieceBytes, length - at));
  }
}

/** Appends a local file to the output. */
export async function copyFile(path: string, sink: ByteSink, signal: AbortSignal): Promise<void> {
  await using file = await FileSource.open(path, { checksum: false });
  for await (const piece of piecesOf(file, { start: 0, length: file.size, signal })) await sink.append(piece);
}
