import type { Read } from '../define.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (source) => {
  return { kind: 'bytes', source };
};
