import { FormatError } from '../../../errors.ts';

/** Length of the header of PMTiles 3. */
export const HEADER_BYTES = 127;
/** Maximum size of header and root directory together, in bytes. */
export const ROOT_LIMIT = 16_384;

/** Numbers of the specification of PMTiles 3. */
export const COMPRESSIONS = { none: 1, gzip: 2 } as const;
export const TILE_TYPES = { unknown: 0, MVT: 1, PNG: 2, WEBP: 4 } as const;

export interface Section {
  readonly offset: number;
  readonly length: number;
}

export interface ArchiveHeader {
  readonly root: Section;
  readonly metadata: Section;
  readonly leaves: Section;
  readonly tiles: Section;
  /** Tiles with an address, entries of directories, and different contents. */
  readonly counts: readonly [number, number, number];
  /** Whether tiles are in the order of their ids. */
  readonly clustered?: boolean;
  readonly tileCompression: number;
  readonly tileType: number;
  readonly levels: readonly [number, number];
  /** West, south, east, north in degrees. */
  readonly bounds: readonly [number, number, number, number];
}

const sections = ['root', 'metadata', 'leaves', 'tiles'] as const;

export function packHeader(header: ArchiveHeader): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('PMTiles'));
  bytes[7] = 3;
  const long = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  for (const [n, name] of sections.entries()) {
    long(8 + 16 * n, header[name].offset);
    long(16 + 16 * n, header[name].length);
  }
  for (const [n, count] of header.counts.entries()) long(72 + 8 * n, count);
  bytes[96] = header.clustered ? 1 : 0;
  bytes[97] = COMPRESSIONS.gzip;
  bytes[98] = header.tileCompression;
  bytes[99] = header.tileType;
  bytes[100] = header.levels[0];
  bytes[101] = header.levels[1];
  const [west, south, east, north] = header.bounds;
  const degrees = (at: number, value: number) => view.setInt32(at, Math.round(value * 1e7), true);
  for (const [n, value] of header.bounds.entries()) degrees(102 + 4 * n, value);
  bytes[118] = header.levels[0];
  degrees(119, (west + east) / 2);
  degrees(123, (south + north) / 2);
  return bytes;
}

/** @throws FormatError if the bytes are no header of PMTiles 3 with sections inside of `size` bytes */
export function parseHeader(bytes: Uint8Array, size: number): ArchiveHeader {
  if (
    bytes.length < HEADER_BYTES ||
    Buffer.from(bytes.subarray(0, 7)).toString('latin1') !== 'PMTiles' ||
    bytes[7] !== 3
  )
    throw new FormatError('The tile archive is not a PMTiles file of version 3.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const long = (at: number) => Number(view.getBigUint64(at, true));
  const section = (n: number): Section => {
    const [offset, length] = [long(8 + 16 * n), long(16 + 16 * n)];
    if (!(offset + length <= size))
      throw new FormatError(`The ${sections[n]} of the tile archive end after its last byte.`);
    return { offset, length };
  };
  const degrees = (at: number) => view.getInt32(at, true) / 1e7;
  return {
    root: section(0),
    metadata: section(1),
    leaves: section(2),
    tiles: section(3),
    counts: [long(72), long(80), long(88)],
    tileCompression: bytes[98]!,
    tileType: bytes[99]!,
    levels: [bytes[100]!, bytes[101]!],
    bounds: [degrees(102), degrees(106), degrees(110), degrees(114)],
  };
}
