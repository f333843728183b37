import type { ByteSink } from '../../../data/bytes.ts';
import type { DfsFile } from './dfs-file.ts';
import { writeHeader } from './write-header.ts';

const chunk = 1 << 20;

/** Writes the bytes of a file again. Of a file that is cut in its data the whole steps are kept, and the header says how many they are. */
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
