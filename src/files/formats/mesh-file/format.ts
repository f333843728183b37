import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { meshFormat } from './signature.ts';

export const meshFileReader = defineReader({
  name: 'MeshFileReader',
  description: 'Mesh file (.mesh): text with nodes, boundary codes, and elements of three or four nodes.',
  format: 'mesh',
  produces: 'mesh',
  has: ['place', 'items'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const meshFileWriter = defineWriter({
  name: 'MeshFileWriter',
  description: 'Mesh file (.mesh): text with nodes, boundary codes, and elements of three or four nodes.',
  format: 'mesh',
  accepts: ['mesh'],
  extension: meshFormat.extensions[0],
  mediaType: 'text/plain',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
