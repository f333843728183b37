/** Byte range within the content; both ends are included. */
export type RangeAnswer = { start: number; end: number } | 'whole' | 'unsatisfiable';

const BYTES = /^bytes\s*=\s*(?:(\d+)\s*)?-\s*(\d*)$/i;

/** Parses `Range` (RFC 9110, 14.2) for `size` bytes. Malformed and multiple ranges give the whole content. */
export function byteRange(header: string | undefined, size: number): RangeAnswer {
  const [, first = '', last = ''] = BYTES.exec((header ?? '').trim()) ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
