import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { mdFormat } from './signature.ts';

export const mdReader = defineReader({
  name: 'MDReader',
  description:
    'Multidimensional store: a group of Zarr 3 in a zip, or of Zarr 2 or 3 by another program with the conventions of CF.',
  format: 'md',
  produces: ['grid', 'mesh', 'array'],
  has: ['place', 'items', 'times', 'layers'],
  readsParts: async () => true,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const mdWriter = defineWriter({
  name: 'MDWriter',
  description: 'Multidimensional store: Zarr 3 in a zip, with all items, steps and layers of a grid, mesh or array.',
  format: 'md',
  accepts: ['grid', 'mesh', 'array'],
  extension: mdFormat.extensions[0],
  mediaType: 'application/zip',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
