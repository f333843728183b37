import { deflateSync } from 'node:zlib';

/** Writes a TIFF file from the specification, independently of the code under test. */
export interface TiffFile {
  width: number;
  height: number;
  /** Cell by cell, with all samples of a cell. */
  values: readonly number[];
  samples?: number;
  bits?: number;
  /** 1 unsigned, 2 signed, 3 floating point. */
  format?: 1 | 2 | 3;
  bigEndian?: boolean;
  bigTiff?: boolean;
  planar?: boolean;
  /** Side of tiles; absent: strips. */
  tile?: number;
  rowsPerStrip?: number;
  deflate?: boolean;
  predictor?: 1 | 2;
  /** Additional or different tags; `null` omits one. */
  tags?: Record<number, [type: number, values: readonly number[] | string] | null>;
}

const sizes: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 12: 8, 16: 8 };

export function tiffFile(file: TiffFile): Buffer {
  const { width, height, values, samples = 1, bits = 8, format = 1, bigEndian = false, bigTiff = false } = file;
  const { planar = false, tile, rowsPerStrip = height, deflate = false, predictor = 1 } = file;
  const put = (buffer: Buffer, type: number, value: number, at: number) => {
    const view = new DataView(buffer.buffer, buffer.byteOffset);
    if (type === 3) view.setUint16(at, value, !bigEndian);
    else if (type === 4) view.setUint32(at, value, !bigEndian);
    else if (type === 12) view.setFloat64(at, value, !bigEndian);
    else if (type === 16) view.setBigUint64(at, BigInt(value), !bigEndian);
    else buffer[at] = value;
  };
  const [blockWidth, blockHeight] = tile === undefined ? [width, rowsPerStrip] : [tile, tile];
  const perCell = planar ? 1 : samples;
  const block = (left: number, top: number, band: number): Buffer => {
    const rows = tile === undefined ? Math.min(blockHeight, height - top) : tile;
    const numbers: number[][] = [];
    for (let y = top; y < top + rows; y++) {
      const row: number[] = [];
      for (let x = left; x < left + blockWidth; x++)
        for (let s = 0; s < perCell; s++)
          row.push(x < width && y < height ? values[(y * width + x) * samples + (planar ? band : s)]! : 0);
      if (predictor === 2) for (let i = row.length - 1; i >= perCell; i--) row[i] = row[i]! - row[i - perCell]!;
      numbers.push(row);
    }
    const raw = Buffer.concat(numbers.map((row) => packedRow(row, bits, format, bigEndian)));
    return deflate ? deflateSync(raw) : raw;
  };
  const header = bigTiff ? 16 : 8;
  const blocks: Buffer[] = [];
  const offsets: number[] = [];
  let at = header;
  for (let band = 0; band < (planar ? samples : 1); band++)
    for (let top = 0; top < height; top += blockHeight)
      for (let left = 0; left < width; left += blockWidth) {
        const bytes = block(left, top, band);
        offsets.push(at);
        blocks.push(bytes, Buffer.alloc(bytes.length % 2));
        at += bytes.length + (bytes.length % 2);
      }
  const counts = blocks.filter((_, n) => n % 2 === 0).map((bytes) => bytes.length);
  const each = (value: number) => Array.from({ length: samples }, () => value);
  const tags: NonNullable<TiffFile['tags']> = {
    256: [4, [width]],
    257: [4, [height]],
    258: [3, each(bits)],
    259: [3, [deflate ? 8 : 1]],
    262: [3, [1]],
    277: [3, [samples]],
    284: [3, [planar ? 2 : 1]],
    317: predictor === 1 ? null : [3, [predictor]],
    339: [3, each(format)],
    ...(tile === undefined
      ? { 273: [4, offsets], 278: [4, [rowsPerStrip]], 279: [4, counts] }
      : { 322: [4, [tile]], 323: [4, [tile]], 324: [4, offsets], 325: [4, counts] }),
    ...file.tags,
  };
  const fields = Object.entries(tags).flatMap(([id, field]) =>
    field === null ? [] : [[Number(id), ...field] as const],
  );
  const [countSize, entrySize, room] = bigTiff ? [8, 20, 8] : [2, 12, 4];
  const directory = Buffer.alloc(countSize + fields.length * entrySize + room);
  put(directory, bigTiff ? 16 : 3, fields.length, 0);
  const behind: Buffer[] = [];
  let next = at + directory.length;
  fields.forEach(([id, type, given], n) => {
    const list = typeof given === 'string' ? [...Buffer.from(`${given}\0`, 'latin1')] : given;
    const bytes = Buffer.alloc(list.length * sizes[type]!);
    list.forEach((value, i) => void put(bytes, type, value, i * sizes[type]!));
    const entry = countSize + n * entrySize;
    put(directory, 3, id, entry);
    put(directory, 3, type, entry + 2);
    put(directory, bigTiff ? 16 : 4, list.length, entry + 4);
    if (bytes.length <= room) bytes.copy(directory, entry + entrySize - room);
    else {
      put(directory, bigTiff ? 16 : 4, next, entry + entrySize - room);
      behind.push(bytes);
      next += bytes.length;
    }
  });
  const head = Buffer.alloc(header);
  head.write(bigEndian ? 'MM' : 'II');
  put(head, 3, bigTiff ? 43 : 42, 2);
  if (bigTiff) put(head, 3, 8, 4);
  put(head, bigTiff ? 16 : 4, at, bigTiff ? 8 : 4);
  return Buffer.concat([head, ...blocks, directory, ...behind]);
}

function packedRow(row: readonly number[], bits: number, format: number, bigEndian: boolean): Buffer {
  if (bits < 8) {
    const bytes = Buffer.alloc(Math.ceil((row.length * bits) / 8));
    for (const [i, value] of row.entries()) bytes[(i * bits) >> 3]! |= value << (8 - bits - ((i * bits) & 7));
    return bytes;
  }
  const bytes = Buffer.alloc((row.length * bits) / 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  row.forEach((value, i) => {
    const at = (i * bits) / 8;
    if (format === 3 && bits === 16) view.setFloat16(at, value, !bigEndian);
    else if (format === 3 && bits === 32) view.setFloat32(at, value, !bigEndian);
    else if (format === 3) view.setFloat64(at, value, !bigEndian);
    else if (bits === 8) view.setUint8(at, value & 255);
    else if (bits === 16) view.setUint16(at, value & 65535, !bigEndian);
    else if (bits === 32) view.setUint32(at, value >>> 0, !bigEndian);
    else view.setBigInt64(at, BigInt(value), !bigEndian);
  });
  return bytes;
}

/** Tiepoint and pixel scale with the upper left corner at x, y. */
export const placed = (x: number, y: number, size: number): NonNullable<TiffFile['tags']> => ({
  33550: [12, [size, size, 0]],
  33922: [12, [0, 0, 0, x, y, 0]],
});

/** GeoKeys from triples of key and short value. */
export const geoKeys = (...pairs: [key: number, value: number][]): NonNullable<TiffFile['tags']> => ({
  34735: [3, [1, 1, 0, pairs.length, ...pairs.flatMap(([key, value]) => [key, 0, 1, value])]],
});
