import { z } from 'zod';
import { component, text } from '../../../http/rules/members.ts';

/** A file or dataset that a transformation names. */
export const SideInput = component(
  'SideInput',
  {
    datasetId: text('Id of a dataset that the caller may read.').optional(),
    uploadUrl: text('Address of an uploaded file, instead of a dataset.').optional(),
    originalFileName: text('Name of the uploaded file, for messages about it.').optional(),
    readerName: text('Reader of the file; absent: by its content.').optional(),
    readerParameters: z
      .array(z.object({ name: text('Name of the parameter.'), value: z.any().describe('A value of its type.') }))
      .describe('Parameters of the reader.')
      .optional(),
  },
  'A file or dataset beside the input: `datasetId` or `uploadUrl`.',
);

/** Members of transformations that make cells. */
export const cells = {
  cellSize: z
    .union([z.number(), z.array(z.number()).length(2)])
    .describe('Side of a cell, or width and height, in units of the coordinate system.')
    .optional(),
  extent: z
    .array(z.number())
    .length(4)
    .describe('West, south, east, north; absent: the extent of the data.')
    .optional(),
  like: SideInput.describe('A grid whose cells the result has; with `cellSize` only its extent.').optional(),
  SRID: z
    .union([z.int(), z.string()])
    .describe('Coordinate system of `cellSize` and `extent`: that of the data.')
    .optional(),
};
