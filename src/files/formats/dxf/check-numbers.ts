import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { wholeLines } from '../io/line-words.ts';

/** Group codes whose values are coordinates, lengths and angles. */
const isReal = (code: number): boolean =>
  (code >= 10 && code < 60) || (code >= 110 && code < 150) || (code >= 210 && code < 240);
const numberForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Sections whose entities are read. */
const checked = new Set(['ENTITIES', 'BLOCKS']);

/**
 * GDAL takes 0 for a number that it cannot read, so they are checked before.
 * @throws FormatError with the line
 */
export async function checkNumbers(source: ByteSource, signal: AbortSignal): Promise<void> {
  let line = 0;
  let code = Number.NaN;
  let [isSection, isChecked] = [false, false];
  const check = (text: string): void => {
    line++;
    if (line % 2 === 1) {
      code = Number(text);
      return;
    }
    if (isSection && code === 2) isChecked = checked.has(text.trim());
    isSection = code === 0 && text.trim() === 'SECTION';
    if (isChecked && isReal(code) && !numberForm.test(text.trim()))
      throw new FormatError(`Line ${line} of the DXF has '${text.trim().slice(0, 40)}', which is not a number.`);
  };
  for await (const { bytes, end } of wholeLines(source, 0)) {
    signal.throwIfAborted();
    for (const text of bytes.toString('latin1', 0, end - 1).split('\n')) check(text);
  }
}
