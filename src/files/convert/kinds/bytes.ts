import type { Bytes } from '../../data/bytes.ts';
import type { KindHandler } from './handler.ts';

/** Copies the file unchanged. */
export const bytesHandler: KindHandler<Bytes> = { steps: {} };
