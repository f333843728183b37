import type { ByteSink } from '../../../data/bytes.ts';
import type { DfsFile } from './dfs-file.ts';
import { writeHeader } from './write-header.ts';

const chunk = 1 << 20;

/**
 * Copies a file. If it is truncated within its data, only its complete steps are copied, and the header gets their
 * number.
 */
export async function copyDfs(file: DfsFile, sink: ByteSink, signal: AbortSignal): Promise<void> {
  const { source, header, steps, dataStart, stepBytes } = file;
  const cut = header.time.steps > steps;
  if (cut) await writeHeader({ ...header, time: { ...header.time, steps } }, sink);
  const end = cut ? dataStart + steps * stepBytes : source.size;
  for (let at = cut ? dataStart : 0; at < end; at += chunk) {
    signal.throwIfAborted();
    await sink.append(await source.read(at, Math.min(chunk, end - at)));
  }
}
