import { z } from 'zod';
import { cellSizeParameter } from '../bridge-parameters.ts';
import { readerParameters, writerParameters } from '../io/dfs/parameters.ts';

export const readParameters = z.object({
  ...readerParameters,
  CoordinateInterpretationType: z
    .enum(['CenterOfCell', 'BottomLeftBorder', 'Borders'])
    .describe(
      'Meaning of the position in the file: centre of the first cell, its lower left corner, or lower left corner of a domain on whose borders the first and last values stand. Local coordinates (NON-UTM or none) are those of the corner unless a value is given.',
    )
    .meta({ default: 'CenterOfCell' })
    .optional(),
});

export const writeParameters = z.object({ ...writerParameters, ...cellSizeParameter });
