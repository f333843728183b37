import { z } from 'zod';
import { defineReader } from '../define.ts';

export const fileReader = defineReader({
  name: 'FileReader',
  description: 'Any file, unchanged.',
  format: 'file',
  produces: 'bytes',
  has: [],
  parameters: z.object({}),
  async read(source) {
    return { kind: 'bytes', source };
  },
});
