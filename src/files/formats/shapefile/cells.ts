import { putPadded, scaled } from '../io/number-text.ts';
import type { DbfField } from './column-layout.ts';

/** Tags of values in the spool. A double (8 bytes) or a text (a byte of length, then the text) follows its tag. */
export const tag = { null: 0, number: 1, text: 2, true: 3, false: 4 } as const;

/** Writes a value of the spool into its cell of a row; the cell must be blank. */
export function putCell(from: Buffer, at: number, to: Buffer, offset: number, field: DbfField): void {
  const kind = from[at]!;
  if (kind === tag.text) putText(from, at + 2, from[at + 1]!, to, offset, field);
  else if (kind === tag.number) putNumber(from.readDoubleLE(at + 1), to, offset, field);
  else if (kind === tag.null) {
    if (field.type === 'L') to[offset] = 63;
  } else if (field.type === 'L') to[offset] = kind === tag.true ? 84 : 70;
  else to.write(kind === tag.true ? 'true' : 'false', offset, 'latin1');
}

function putText(
  from: Buffer,
  start: number,
  length: number,
  to: Buffer,
  offset: number,
  { type, width }: DbfField,
): void {
  if (type === 'D') {
    let at = offset;
    for (let i = start; i < start + length; i++) if (from[i] !== 45 && from[i] !== 47) to[at++] = from[i]!;
    return;
  }
  // large integers are texts in the spool; like all numbers, they are right-aligned
  const first = type === 'N' ? offset + width - length : offset;
  if (length > 24) from.copy(to, first, start, start + length);
  else for (let i = 0; i < length; i++) to[first + i] = from[start + i]!;
}

function putNumber(value: number, to: Buffer, offset: number, { type, width, decimals }: DbfField): void {
  const size = Math.abs(value);
  if (type === 'N') {
    const whole = scaled(size, decimals);
    if (whole >= 0 && putPadded(to, offset, width, value < 0, whole, decimals)) return;
  }
  let text = String(value);
  for (let digits = 17; text.length > width && digits > 0; digits--) text = String(Number(value.toPrecision(digits)));
  to.write(text, type === 'N' ? offset + width - text.length : offset, 'latin1');
}
