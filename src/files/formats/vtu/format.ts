import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { vtuFormat } from './signature.ts';

export const vtuReader = defineReader({
  name: 'VtuReader',
  description:
    'VTK unstructured grid (.vtu) in any of its encodings, or a zip with a .pvd collection and its parts, one per step.',
  format: 'vtu',
  produces: 'mesh',
  has: ['place', 'items', 'times', 'layers'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const vtuWriter = defineWriter({
  name: 'VtuWriter',
  description:
    'VTK unstructured grid (.vtu) for ParaView, zlib compressed; several steps become a zip with a .pvd collection and its parts.',
  format: 'vtu',
  accepts: ['mesh', 'features'],
  bridged: ['grid', 'series', 'array'],
  extension: vtuFormat.extensions[0],
  mediaType: 'application/octet-stream',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
