import type { ByteSink } from '../../../data/bytes.ts';
import { piecesOf } from '../pieces.ts';
import type { DfsFile } from './dfs-file.ts';
import { writeHeader } from './write-header.ts';

/**
 * Copies a file. If it is truncated within its data, only its complete steps are copied, and the header gets their
 * number.
 */
export async function copyDfs(file: DfsFile, sink: ByteSink, signal: AbortSignal): Promise<void> {
  const { source, header, steps, dataStart, stepBytes } = file;
  const cut = header.time.steps > steps;
  if (cut) await writeHeader({ ...header, time: { ...header.time, steps } }, sink);
  const end = cut ? dataStart + steps * stepBytes : source.size;
  const start = cut ? dataStart : 0;
  for await (const piece of piecesOf(source, { start, length: end - start, signal })) await sink.append(piece);
}
