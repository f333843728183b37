import { pageTypes } from './constants.ts';
import { ThriftReader, thrift } from './thrift-reader.ts';

export interface PageHeader {
  readonly type: number;
  /** Bytes of the page behind its header, as in the file and unpacked. */
  readonly size: number;
  readonly unpacked: number;
  readonly crc?: number;
  readonly values: number;
  readonly encoding: number;
  readonly definitionEncoding: number;
  readonly repetitionEncoding: number;
  /** Bytes of the levels before the values, for pages of the second version, in which they are not packed. */
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly isPacked: boolean;
  /** Bytes of the header itself. */
  readonly length: number;
}

/** @param offset of the bytes in the file, for errors */
export function readPageHeader(bytes: Buffer, offset: number): PageHeader {
  const reader = new ThriftReader(bytes, offset);
  const own: Record<number, number> = {};
  let of: Record<number, number> = {};
  let isPacked = true;
  reader.struct((id, type) => {
    if (type === thrift.i32) own[id] = reader.integer();
    else if (type === thrift.struct) {
      const found: Record<number, number> = {};
      reader.struct((inner, kind) => {
        if (kind === thrift.i32) found[inner] = reader.integer();
        else {
          if (id === 8 && inner === 7) isPacked = kind === thrift.true;
          reader.skip(kind);
        }
      });
      of = found;
    } else reader.skip(type);
  });
  const { 1: type, 2: unpacked, 3: size, 4: crc } = own;
  if (type === undefined || unpacked === undefined || size === undefined) reader.fail('a page lacks its type or size');
  if (unpacked < 0 || size < 0) reader.fail('a page has a negative size');
  const isSecond = type === pageTypes.data2;
  const header: PageHeader = {
    type,
    size,
    unpacked,
    ...(crc === undefined ? {} : { crc: crc >>> 0 }),
    values: of[1] ?? 0,
    encoding: (isSecond ? of[4] : of[2]) ?? 0,
    definitionEncoding: isSecond ? 3 : (of[3] ?? 3),
    repetitionEncoding: isSecond ? 3 : (of[4] ?? 3),
    definitionBytes: isSecond ? (of[5] ?? 0) : 0,
    repetitionBytes: isSecond ? (of[6] ?? 0) : 0,
    isPacked,
    length: reader.at,
  };
  if (header.values < 0 || header.definitionBytes < 0 || header.repetitionBytes < 0)
    reader.fail('a page has a negative count');
  return header;
}
