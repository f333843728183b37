import { z } from 'zod';
import { defineWriter } from '../define.ts';

const chunk = 1 << 20;

export const fileWriter = defineWriter({
  name: 'FileWriter',
  description: 'Any file, unchanged.',
  format: 'file',
  accepts: ['bytes'],
  parameters: z.object({}),
  extension: '',
  mediaType: 'application/octet-stream',
  async write({ source }, _parameters, sink, { signal, progress }) {
    while (sink.position < source.size) {
      signal.throwIfAborted();
      const bytes = await source.read(sink.position, chunk);
      if (bytes.length === 0) throw new Error(`The input ended at byte ${sink.position} of ${source.size}.`);
      await sink.append(bytes);
      progress(sink.position / source.size, 'Copying');
    }
  },
});
