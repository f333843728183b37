import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';

export const fileReader = defineReader({
  name: 'FileReader',
  description: 'Any file, unchanged.',
  format: 'file',
  produces: 'bytes',
  has: [],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const fileWriter = defineWriter({
  name: 'FileWriter',
  description: 'Any file, unchanged.',
  format: 'file',
  accepts: ['bytes'],
  extension: '',
  mediaType: 'application/octet-stream',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
