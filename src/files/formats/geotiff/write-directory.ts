import { type GeoTags, tag } from './directory.ts';

/** A field (tag with values) of an IFD. */
export interface Field {
  tag: number;
  type: 'ascii' | 'short' | 'long' | 'double' | 'offset';
  values: ArrayLike<number> | string;
}

interface FieldType {
  id: number;
  size: number;
  put(buffer: Buffer, value: number, at: number): void;
}

const fixedTypes = {
  short: { id: 3, size: 2, put: (buffer, value, at) => buffer.writeUInt16LE(value, at) },
  long: { id: 4, size: 4, put: (buffer, value, at) => buffer.writeUInt32LE(value, at) },
  double: { id: 12, size: 8, put: (buffer, value, at) => buffer.writeDoubleLE(value, at) },
} satisfies Record<string, FieldType>;
const long8: FieldType = { id: 16, size: 8, put: (buffer, value, at) => buffer.writeBigUInt64LE(BigInt(value), at) };

/** Header of a little-endian TIFF whose first IFD is at offset `directory`. */
export function tiffHeader(big: boolean, directory: number): Buffer {
  const header = Buffer.alloc(big ? 16 : 8);
  header.write('II', 'latin1');
  header.writeUInt16LE(big ? 43 : 42, 2);
  if (big) {
    header.writeUInt16LE(8, 4);
    header.writeBigUInt64LE(BigInt(directory), 8);
  } else header.writeUInt32LE(directory, 4);
  return header;
}

/**
 * Bytes of an IFD with its values after it.
 * @param offset of the IFD in the file, an even number
 * @param following offset of the next IFD; 0 for none
 */
export function tiffDirectory(fields: readonly Field[], offset: number, big: boolean, following = 0): Buffer {
  const sorted = fields.toSorted((a, b) => a.tag - b.tag);
  const [countSize, entrySize, room] = big ? [8, 20, 8] : [2, 12, 4];
  const size = countSize + sorted.length * entrySize + room;
  const list = Buffer.alloc(size);
  if (big) list.writeBigUInt64LE(BigInt(sorted.length), 0);
  else list.writeUInt16LE(sorted.length, 0);
  (big ? long8 : fixedTypes.long).put(list, following, size - room);
  // Pad, so that an IFD after this one also begins at a multiple of eight.
  const behind: Buffer[] = [Buffer.alloc(-size & 7)];
  let next = size + (-size & 7);
  sorted.forEach((field, n) => {
    const { id, values } = valuesOf(field, big);
    const at = countSize + n * entrySize;
    const place = at + entrySize - room;
    const count = typeof field.values === 'string' ? values.length : field.values.length;
    list.writeUInt16LE(field.tag, at);
    list.writeUInt16LE(id, at + 2);
    (big ? long8 : fixedTypes.long).put(list, count, at + 4);
    if (values.length <= room) values.copy(list, place);
    else {
      (big ? long8 : fixedTypes.long).put(list, offset + next, place);
      // Values begin at multiples of eight, as some readers expect.
      const padding = -values.length & 7;
      behind.push(values, Buffer.alloc(padding));
      next += values.length + padding;
    }
  });
  return Buffer.concat([list, ...behind]);
}

function valuesOf(field: Field, big: boolean): { id: number; values: Buffer } {
  if (typeof field.values === 'string') return { id: 2, values: Buffer.from(`${field.values}\0`, 'latin1') };
  const type: FieldType =
    field.type === 'offset' ? (big ? long8 : fixedTypes.long) : fixedTypes[field.type as keyof typeof fixedTypes];
  const values = Buffer.alloc(type.size * field.values.length);
  for (let n = 0; n < field.values.length; n++) type.put(values, field.values[n]!, n * type.size);
  return { id: type.id, values };
}

export function geoFields({ directory, doubles, text }: GeoTags): Field[] {
  const fields: Field[] = [{ tag: tag.geoKeyDirectory, type: 'short', values: directory }];
  if (doubles.length > 0) fields.push({ tag: tag.geoDoubles, type: 'double', values: doubles });
  if (text !== '') fields.push({ tag: tag.geoText, type: 'ascii', values: text });
  return fields;
}
