import { AppError } from '../../errors.ts';

/** Values of a file: rows of the union of times, for each column. */
export const MOST_VALUES = 5_000_000;
/** Bytes of packed blocks of a file. */
export const MOST_BYTES = 64 * 2 ** 20;
/** Characters of texts of a file: equal ones take next to nothing in blocks. */
export const MOST_TEXT = 256 * 2 ** 20;

const INSTEAD = 'Ask for less with from and to or for fewer series, or use POST /api/conversion/download-convert.';

export const tooManyValues = () =>
  new AppError(
    'tooLarge',
    `The file would have more than ${MOST_VALUES} values: a row for each time, a column for each series and data field. ${INSTEAD}`,
    { code: 'TooManyValues' },
  );
export const tooManyBytes = (bytes: number) =>
  new AppError('tooLarge', `The series have ${bytes} bytes. The maximum of a file is ${MOST_BYTES}. ${INSTEAD}`, {
    code: 'TooManyValues',
  });
export const tooMuchText = () =>
  new AppError('tooLarge', `The texts of the file would have more than ${MOST_TEXT} characters. ${INSTEAD}`, {
    code: 'TooManyValues',
  });
