import type { Bytes } from '../../data/bytes.ts';
import type { KindHandler } from './handler.ts';

/** Copies the file unchanged. */
export const bytesHandler: KindHandler<Bytes> = {
  async pass(data, _work, write) {
    await write(data);
    return { recordsRead: 1, recordsWritten: 1, recordsSkipped: 0, statistics: {} };
  },
};
