import { ConversionError } from '../errors.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { findReader } from '../formats/registry.ts';
import { FileStart, NeedsMore } from './file-start.ts';
import { describe, type InspectOptions } from './inspect.ts';
import type { Inspection, StartInspection } from './inspection.ts';

/** Where the last row of a text is looked for, in bytes. */
const LONGEST_ROW = 1 << 16;
const LINE_END = 10;
const ROWS_OF_START = 'Fields, types and times are those of the rows in the start; more rows may change them.';

/**
 * Describes a file of which only the start is there, as far as the start tells it. Statistics and pictures need the
 * whole file.
 * @param size of the whole file in bytes; `path` has its start
 * @throws FormatError or ConversionError with the reader's sentence if the start is broken
 */
export async function inspectStart({
  size,
  ...options
}: InspectOptions & { size: number }): Promise<Inspection | StartInspection> {
  await using file = await FileSource.open(options.path, { checksum: false });
  if (size < file.size) throw new ConversionError(`The start has ${file.size} bytes, but the whole file only ${size}.`);
  const start = new FileStart(file, size);
  const headerOnly = { ...options, statistics: false, picture: undefined };
  const known: Partial<Inspection> = {};
  try {
    return (await describe(start, headerOnly, known)).inspection;
  } catch (error) {
    options.signal.throwIfAborted();
    const needsMore = error instanceof NeedsMore ? error.range : start.needed;
    if (needsMore === undefined) throw error;
    const remark = `Only the first ${file.size} of ${size} bytes are there, and the reader needs more.`;
    const rows = await describeRows(file, headerOnly, known.reader);
    const remarks = rows === undefined ? [remark] : [remark, ROWS_OF_START, ...rows.remarks];
    return { ...(rows ?? known), size, remarks, needsMore };
  }
}

/** What the rows in the start of a text tell: more rows may give other types, and more steps. */
async function describeRows(
  file: FileSource,
  options: InspectOptions,
  reader: string | undefined,
): Promise<Inspection | undefined> {
  if (reader === undefined || findReader(reader)?.rowsOfText !== true) return undefined;
  const [first] = await file.read(0, 1);
  // in UTF-16, which begins with one of these, the byte of a line end may be a part of a letter
  if (first === 0xff || first === 0xfe) return undefined;
  const from = Math.max(0, file.size - LONGEST_ROW);
  const end = from + (await file.read(from, LONGEST_ROW)).lastIndexOf(LINE_END) + 1;
  if (end <= from) return undefined;
  try {
    return (await describe(new FileStart(file, end), options, {})).inspection;
  } catch {
    // the first rows may be unlike the others; the whole file decides
    options.signal.throwIfAborted();
    return undefined;
  }
}
