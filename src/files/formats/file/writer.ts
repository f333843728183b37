import type { Write } from '../define.ts';
import type { writeParameters } from './parameters.ts';

const chunk = 1 << 20;

export const write: Write<typeof writeParameters, 'bytes'> = async (
  { source },
  _parameters,
  sink,
  { signal, progress },
) => {
  while (sink.position < source.size) {
    signal.throwIfAborted();
    const bytes = await source.read(sink.position, chunk);
    if (bytes.length === 0) throw new Error(`The input ended at byte ${sink.position} of ${source.size}.`);
    await sink.append(bytes);
    progress(sink.position / source.size, 'Copying');
  }
};
