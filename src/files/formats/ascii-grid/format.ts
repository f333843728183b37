import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { asciiGridFormat } from './signature.ts';

export const asciiGridReader = defineReader({
  name: 'AsciiGridReader',
  description: 'Esri ASCII grid (.asc): one band without a coordinate system.',
  format: 'asciigrid',
  produces: 'grid',
  has: ['place', 'items'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const asciiGridWriter = defineWriter({
  name: 'AsciiGridWriter',
  description: 'Esri ASCII grid (.asc): one band, square cells, north up.',
  format: 'asciigrid',
  accepts: ['grid'],
  bridged: ['features', 'array'],
  extension: asciiGridFormat.extensions[0],
  mediaType: 'text/plain',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
