import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { wholeLines } from '../io/line-words.ts';

/** Group codes whose values are coordinates, lengths and angles. */
const isReal = (code: number): boolean =>
  (code >= 10 && code < 60) || (code >= 110 && code < 150) || (code >= 210 && code < 240);
const numberForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Sections whose entities are read. */
const checked = new Set(['ENTITIES', 'BLOCKS']);

/** How the texts of a drawing are encoded. */
export interface DxfText {
  /** All of the file is UTF-8, or ASCII. */
  readonly isUtf8: boolean;
  readonly isAscii: boolean;
  /** Of the format, such as `AC1032`; `AC1021` (AutoCAD 2007) and later ones are UTF-8. */
  readonly version: string | undefined;
  readonly hasHeader: boolean;
}

/**
 * GDAL takes 0 for a number that it cannot read, so they are checked before. It also takes texts of all versions to be
 * in the code page of the header, so the encoding is told.
 * @throws FormatError with the line
 */
export async function checkLines(source: ByteSource, signal: AbortSignal): Promise<DxfText> {
  let line = 0;
  let code = Number.NaN;
  let [isSection, isChecked, isVersion] = [false, false, false];
  let [utf8, ascii, hasHeader] = [true, true, false];
  let version: string | undefined;
  const check = (text: string): void => {
    line++;
    if (line % 2 === 1) {
      code = Number(text);
      return;
    }
    if (isSection && code === 2) {
      isChecked = checked.has(text.trim());
      hasHeader ||= text.trim() === 'HEADER';
    }
    if (isVersion) version ??= text.trim().slice(0, 20);
    isVersion = code === 9 && text.trim() === '$ACADVER';
    isSection = code === 0 && text.trim() === 'SECTION';
    if (isChecked && isReal(code) && !numberForm.test(text.trim()))
      throw new FormatError(`Line ${line} of the DXF has '${text.trim().slice(0, 40)}', which is not a number.`);
  };
  for await (const { bytes, end } of wholeLines(source, 0)) {
    signal.throwIfAborted();
    utf8 &&= isUtf8(bytes.subarray(0, end));
    ascii &&= isAscii(bytes.subarray(0, end));
    for (const text of bytes.toString('latin1', 0, end - 1).split('\n')) check(text);
  }
  return { isUtf8: utf8, isAscii: ascii, version, hasHeader };
}
