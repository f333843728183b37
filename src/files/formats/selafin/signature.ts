import type { FileFormat } from '../file-format.ts';

/** Lengths of the first two records: the title, and two numbers of variables. */
const [TITLE, COUNTS] = [80, 8];

/** Byte order of the length before and after each record of Fortran; undefined for another file. */
export function byteOrderOf(head: Buffer): 'big' | 'little' | undefined {
  if (head.length < TITLE + COUNTS + 16) return undefined;
  const places = [0, TITLE + 4, TITLE + 8, TITLE + COUNTS + 12];
  const lengths = [TITLE, TITLE, COUNTS, COUNTS];
  if (places.every((at, n) => head.readUInt32BE(at) === lengths[n])) return 'big';
  return places.every((at, n) => head.readUInt32LE(at) === lengths[n]) ? 'little' : undefined;
}

export const selafinFormat: FileFormat = {
  format: 'selafin',
  extensions: ['.slf', '.srf'],
  recognise: (head) => (byteOrderOf(head) === undefined ? undefined : { format: 'selafin', name: 'a SELAFIN file' }),
};
