import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { xyzFormat } from './signature.ts';

export const xyzReader = defineReader({
  name: 'XyzReader',
  description:
    'Points as text (.xyz): x and y in the first two columns, z in another; columns separated by blanks, tabs, commas or semicolons.',
  format: 'xyz',
  produces: 'features',
  has: ['place', 'items'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const xyzWriter = defineWriter({
  name: 'XyzWriter',
  description: 'Points as text (.xyz): x, y, z and fields of numbers, separated by blanks.',
  format: 'xyz',
  accepts: ['features'],
  bridged: ['mesh'],
  extension: xyzFormat.extensions[0],
  mediaType: 'text/plain',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
