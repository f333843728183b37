import type { ByteSink } from '../../data/bytes.ts';
import { FileSource } from './bytes.ts';

const pieceBytes = 1 << 20;

/** Appends a local file to the output. */
export async function copyFile(path: string, sink: ByteSink, signal: AbortSignal): Promise<void> {
  const file = await FileSource.open(path, { checksum: false });
  try {
    for (let at = 0; at < file.size; at += pieceBytes) {
      signal.throwIfAborted();
      await sink.append(await file.read(at, pieceBytes));
    }
  } finally {
    await file.close();
  }
}
