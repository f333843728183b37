import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';

/** Tags that we read or write (TIFF 6.0, GeoTIFF 1.1, GDAL). */
export const tag = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  planarConfiguration: 284,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  modelPixelScale: 33550,
  modelTiepoint: 33922,
  modelTransformation: 34264,
  geoKeyDirectory: 34735,
  geoDoubles: 34736,
  geoText: 34737,
  gdalMetadata: 42112,
  gdalNodata: 42113,
  lercParameters: 50674,
  rationalPolynomials: 50844,
} as const;

/** Field type → size of a value in bytes. */
const sizes: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};

const decoders: Readonly<Record<number, (view: DataView, at: number, little: boolean) => number>> = {
  1: (view, at) => view.getUint8(at),
  3: (view, at, little) => view.getUint16(at, little),
  4: (view, at, little) => view.getUint32(at, little),
  5: (view, at, little) => view.getUint32(at, little) / view.getUint32(at + 4, little),
  6: (view, at) => view.getInt8(at),
  7: (view, at) => view.getUint8(at),
  8: (view, at, little) => view.getInt16(at, little),
  9: (view, at, little) => view.getInt32(at, little),
  10: (view, at, little) => view.getInt32(at, little) / view.getInt32(at + 4, little),
  11: (view, at, little) => view.getFloat32(at, little),
  12: (view, at, little) => view.getFloat64(at, little),
  13: (view, at, little) => view.getUint32(at, little),
  16: (view, at, little) => Number(view.getBigUint64(at, little)),
  17: (view, at, little) => Number(view.getBigInt64(at, little)),
  18: (view, at, little) => Number(view.getBigUint64(at, little)),
};

interface TagEntry {
  type: number;
  count: number;
  /** Offset of its values, in the IFD itself or elsewhere. */
  offset: number;
}

/** Maximum number of values of a tag that is not a list of blocks. */
const maxValues = 1 << 20;

/** Maximum number of images in a file. */
const maxImages = 1000;

/** An image file directory (IFD): the tags of one image of a TIFF. Values are read on demand. */
export class Directory {
  readonly #source: ByteSource;
  readonly #entries: ReadonlyMap<number, TagEntry>;
  readonly littleEndian: boolean;
  readonly offset: number;
  readonly #big: boolean;
  /** Position of the offset of the next IFD. */
  readonly #end: number;

  private constructor(
    source: ByteSource,
    littleEndian: boolean,
    big: boolean,
    offset: number,
    entries: Map<number, TagEntry>,
    end: number,
  ) {
    this.#source = source;
    this.littleEndian = littleEndian;
    this.#big = big;
    this.offset = offset;
    this.#entries = entries;
    this.#end = end;
  }

  /** @throws FormatError if the file is not a TIFF */
  static async open(source: ByteSource): Promise<Directory> {
    if (source.size === 0) throw new FormatError('The file is empty.', 0);
    const head = viewOf(await source.read(0, 16));
    const order = head.byteLength >= 8 ? head.getUint16(0) : 0;
    if (order !== 0x4949 && order !== 0x4d4d)
      throw new FormatError('The file is not a TIFF: it does not begin with II or MM.', 0);
    const little = order === 0x4949;
    const version = head.getUint16(2, little);
    if (version === 42) return Directory.#read(source, little, false, head.getUint32(4, little));
    if (version !== 43) throw new FormatError(`The file is not a TIFF: its version is ${version}, not 42 or 43.`, 2);
    if (head.byteLength < 16 || head.getUint16(4, little) !== 8)
      throw new FormatError('The BigTIFF header is not valid.', 4);
    return Directory.#read(source, little, true, Number(head.getBigUint64(8, little)));
  }

  static async #read(source: ByteSource, little: boolean, big: boolean, offset: number): Promise<Directory> {
    const [countSize, entrySize, room] = big ? [8, 20, 8] : [2, 12, 4];
    const head = viewOf(await readExactly(source, offset, countSize, 'The list of tags'));
    const count = big ? Number(head.getBigUint64(0, little)) : head.getUint16(0, little);
    if (count === 0 || count > 65535)
      throw new FormatError(`The image file directory (IFD) declares ${count} tags. 1 to 65,535 are allowed.`, offset);
    const list = viewOf(await readExactly(source, offset + countSize, count * entrySize, 'The list of tags'));
    const entries = new Map<number, TagEntry>();
    for (let at = 0; at < list.byteLength; at += entrySize) {
      const type = list.getUint16(at + 2, little);
      const values = big ? Number(list.getBigUint64(at + 4, little)) : list.getUint32(at + 4, little);
      const size = sizes[type];
      if (size === undefined) continue;
      const place = at + entrySize - room;
      const inside = values * size <= room;
      const elsewhere = big ? Number(list.getBigUint64(place, little)) : list.getUint32(place, little);
      const id = list.getUint16(at, little);
      if (!entries.has(id))
        entries.set(id, { type, count: values, offset: inside ? offset + countSize + place : elsewhere });
    }
    return new Directory(source, little, big, offset, entries, offset + countSize + list.byteLength);
  }

  /** The IFDs after this one. A broken or circular chain ends at the error. */
  async *others(): AsyncGenerator<Directory> {
    const seen = new Set([this.offset]);
    const size = this.#big ? 8 : 4;
    for (let last: Directory = this; seen.size <= maxImages; ) {
      const place = viewOf(await this.#source.read(last.#end, size));
      if (place.byteLength < size) return;
      const offset = this.#big
        ? Number(place.getBigUint64(0, this.littleEndian))
        : place.getUint32(0, this.littleEndian);
      if (offset === 0 || seen.has(offset)) return;
      try {
        last = await Directory.#read(this.#source, this.littleEndian, this.#big, offset);
      } catch (error) {
        if (error instanceof FormatError) return;
        throw error;
      }
      seen.add(offset);
      yield last;
    }
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  count(id: number): number {
    return this.#entries.get(id)?.count ?? 0;
  }

  /** The first `count` values of a tag; empty without the tag. */
  async numbers(id: number, count?: number): Promise<Float64Array> {
    const entry = this.#entries.get(id);
    const decode = entry === undefined ? undefined : decoders[entry.type];
    if (entry === undefined) return new Float64Array(0);
    if (decode === undefined) throw new FormatError(`Tag ${id} contains text instead of numbers.`, this.offset);
    const wanted = count ?? entry.count;
    if (wanted > entry.count) throw new FormatError(`Tag ${id} has ${entry.count} of ${wanted} values.`, this.offset);
    if (count === undefined && wanted > maxValues)
      throw new FormatError(`Tag ${id} declares ${wanted} values. The maximum is ${maxValues}.`, this.offset);
    const size = sizes[entry.type]!;
    const view = viewOf(await readExactly(this.#source, entry.offset, wanted * size, `Tag ${id}`));
    return Float64Array.from({ length: wanted }, (_, n) => decode(view, n * size, this.littleEndian));
  }

  /**
   * The first `count` values of a tag with sizes or places: whole numbers from 0, whatever type the file gives them.
   */
  async wholes(id: number, count: number): Promise<Float64Array> {
    const values = await this.numbers(id, count);
    const wrong = values.find((value) => !Number.isInteger(value) || value < 0);
    if (wrong !== undefined)
      throw new FormatError(
        `Tag ${id} contains ${wrong}. It must be a whole number that is not negative.`,
        this.offset,
      );
    return values;
  }

  /** The first value of a tag with sizes. */
  async whole(id: number, otherwise: number): Promise<number> {
    return this.count(id) === 0 ? otherwise : (await this.wholes(id, 1))[0]!;
  }

  /** The first value of a tag. */
  async number(id: number, otherwise: number): Promise<number> {
    return this.count(id) === 0 ? otherwise : (await this.numbers(id, 1))[0]!;
  }

  /** The bytes of a tag with text or bytes; empty without the tag. */
  async bytes(id: number): Promise<Uint8Array> {
    const entry = this.#entries.get(id);
    if (entry === undefined || sizes[entry.type] !== 1) return new Uint8Array(0);
    if (entry.count > maxValues)
      throw new FormatError(`Tag ${id} declares ${entry.count} characters. The maximum is ${maxValues}.`, this.offset);
    return readExactly(this.#source, entry.offset, entry.count, `Tag ${id}`);
  }

  async text(id: number, encoding: 'latin1' | 'utf8' = 'latin1'): Promise<string> {
    const bytes = await this.bytes(id);
    const end = bytes.indexOf(0);
    return Buffer.from(bytes.buffer, bytes.byteOffset, end < 0 ? bytes.length : end).toString(encoding);
  }
}

/** The three tags that store GeoKeys. */
export interface GeoTags {
  directory: Float64Array;
  doubles: Float64Array;
  text: string;
}

export async function readGeoTags(directory: Directory): Promise<GeoTags> {
  return {
    directory: await directory.numbers(tag.geoKeyDirectory),
    doubles: await directory.numbers(tag.geoDoubles),
    text: await directory.text(tag.geoText),
  };
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Reads bytes that the file declares to have. Checks the range against the file size before it allocates memory. */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  what: string,
): Promise<Uint8Array> {
  if (!Number.isSafeInteger(offset + length) || offset + length > source.size)
    throw new FormatError(
      `${what} should be at bytes ${offset} to ${offset + length}, but the file has ${source.size} bytes.`,
      offset,
    );
  const bytes = await source.read(offset, length);
  if (bytes.length < length) throw new Error(`The input ended at byte ${offset + bytes.length} of ${source.size}.`);
  return bytes;
}
