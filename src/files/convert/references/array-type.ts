import { bytesOfValues, bytesPerValue, type StoredType, type StoredValues } from '../../data/stored-values.ts';
import type { InlineBlock } from './document.ts';

const letters: Readonly<Record<string, string>> = { U: 'u', I: 'i', F: 'f' };

/** The type as NumPy writes it. */
export function numpyType(type: StoredType, bigEndian = false): string {
  const bytes = bytesPerValue(type);
  return `${bytes === 1 ? '|' : bigEndian ? '>' : '<'}${letters[type[0]!]}${bytes}`;
}

/** All values as one chunk in the document. */
export const inlineBlock = (values: StoredValues, dimensions: number): InlineBlock => ({
  index: Array<number>(dimensions).fill(0),
  bytes: bytesOfValues(values),
});
