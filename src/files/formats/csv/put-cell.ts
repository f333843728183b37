import type { BufferedWriter } from '../io/buffered-writer.ts';
import { longestNumber, putShortest } from '../io/number-text.ts';

export const comma = 44;
const [carriageReturn, lineFeed] = [13, 10];
/** A guess at the number of decimals, for fields that do not say how many they have. */
const usualDecimals = 3;

/** Writes a text, in quotes where a reader needs them: separators, quotes, line ends, blanks around it, no letters. */
export function putText(out: BufferedWriter, text: string): void {
  if (text !== '' && !/[",\r\n;\t|]|^\s|\s$/.test(text)) out.text(text);
  else out.text(`"${text.replaceAll('"', '""')}"`);
}

export function putNumber(out: BufferedWriter, value: number, decimals = usualDecimals): void {
  out.reserve(longestNumber);
  if (Number.isFinite(value)) out.at = putShortest(out.bytes, out.at, value, decimals);
  else if (!Number.isNaN(value)) out.text(value > 0 ? 'inf' : '-inf');
}

/** Writes a value of a feature; nothing for one that is missing. */
export function putValue(out: BufferedWriter, value: unknown, decimals: number | undefined): void {
  if (value === null || value === undefined) return;
  if (typeof value === 'number') putNumber(out, value, decimals);
  else if (typeof value === 'string') putText(out, value);
  else putText(out, typeof value === 'object' ? JSON.stringify(value) : String(value));
}

export function putByte(out: BufferedWriter, byte: number): void {
  out.reserve(1);
  out.bytes[out.at++] = byte;
}

export function endRow(out: BufferedWriter): void {
  out.reserve(2);
  out.bytes[out.at++] = carriageReturn;
  out.bytes[out.at++] = lineFeed;
}
