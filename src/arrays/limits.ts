import { AppError } from '../errors.ts';

/** Values of an answer. */
export const mostValues = 1_000_000;
/**
 * Maximum number of values read for one answer (rotated grids read more than they return), and bytes of their chunks.
 */
export const mostRead = 4 * mostValues;
export const mostChunkBytes = 2 ** 30;
/** Values of a part of a mesh: those at the other nodes and elements around the chosen ones are no data. */
export const mostFilled = 16 * mostValues;

/** What those do who need more than an answer holds. */
export const EXPORT_INSTEAD = 'export the dataset with POST /api/conversion/download-convert';

const tooMuch = (what: string) =>
  new AppError(
    'tooLarge',
    `The answer ${what}. Ask for less with item, from and to, bbox, point, element or layer, or ${EXPORT_INSTEAD}.`,
    { code: 'TooManyValues' },
  );

export const tooManyValues = (values: number) => tooMuch(`would have ${values} values. The maximum is ${mostValues}`);
export const tooManyCoordinates = (coordinates: number, most: number) =>
  tooMuch(
    `would have ${coordinates} coordinates of outlines. The maximum is ${most}; includeGeometries: false leaves them out`,
  );
export const tooManyRead = (values: number) =>
  tooMuch(`needs ${values} values of the dataset to be read. The maximum is ${mostRead}`);
export const tooManyBytes = (bytes: number) =>
  tooMuch(`needs ${bytes} bytes to be read. The maximum is ${mostChunkBytes}`);
export const tooManyFilled = (values: number) =>
  tooMuch(`would have ${values} values with those of the nodes and elements around it. The maximum is ${mostFilled}`);
