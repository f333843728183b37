import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { giveBack, spareBytesOf } from '../../data/spare-memory.ts';
import { AppError } from '../../errors.ts';
import type { Codec } from './compression.ts';
import { codecs } from './compression.ts';
import { takeDifferences, takeFloatDifferences } from './predictor.ts';
import type { StoredSamples, StoredType } from './stored.ts';
import { copyInto, fill, spareStored, storedArrays, storedBytes } from './stored.ts';

export interface ImageOptions {
  Compression: keyof typeof compressions;
  Predictor: boolean;
  Tiled: boolean;
  BlockSize: number;
  BigTiff: 'Auto' | 'Yes' | 'No';
}

/** The numbers that TIFF gives them. */
export const compressions = { None: 1, Lzw: 5, Deflate: 8, PackBits: 32773, Zstd: 50000 } as const;

export const isPredicted = ({ Predictor, Compression }: ImageOptions): boolean =>
  Predictor && Compression !== 'None' && Compression !== 'PackBits';

/** The part of a grid that its blocks depend on. */
export type Raster = Pick<Grid, 'width' | 'height' | 'bands'>;

/** Raw bytes of a strip, and of a row of tiles at most: that of a very wide image is lower than wide. */
const stripBytes = 1 << 19;
const mostTileRowBytes = 1 << 27;
/** Raw bytes of blocks that are packed at the same time, on the thread pool: a row of large tiles comes at once. So many blocks in any case. */
const packedAheadBytes = 12 << 20;
const leastAhead = 6;
/** Offsets of classic TIFF have 32 bits; packing may make a block a little larger. */
const classicLimit = 2 ** 32 - 2 ** 26;

/** Whether offsets take 64 bits, for so many bytes before packing. */
export const isBig = ({ BigTiff }: ImageOptions, raw: number): boolean =>
  BigTiff === 'Yes' || (BigTiff === 'Auto' && raw > classicLimit);

export const rawBytes = ({ width, height, bands }: Raster, type: StoredType): number =>
  width * height * bands.length * storedArrays[type].BYTES_PER_ELEMENT;

/** @throws AppError when classic TIFF cannot say where byte `end` is */
export function checkSize(big: boolean, end: number): void {
  if (!big && end >= 2 ** 32)
    throw new AppError('unprocessable', 'The GeoTIFF would be larger than 4 GB, which takes BigTiff Yes or Auto.');
}

/** The blocks of an image under way: rows come in, from the first of the first band to the last of the last, packed blocks go out. */
export class ImageBlocks {
  /** Of blocks written so far, as places in the sink. */
  readonly offsets: number[] = [];
  readonly byteCounts: number[] = [];
  readonly blockRows: number;
  readonly #raster: Raster;
  readonly #type: StoredType;
  readonly #options: ImageOptions;
  readonly #sink: ByteSink;
  /** Around each block its length and the repetition of its end, as GDAL's ghost area of a COG says. */
  readonly #framed: boolean;
  readonly #codec: Codec;
  readonly #predicted: boolean;
  readonly #ahead: number;
  #packing: Promise<Uint8Array>[] = [];
  /** Rows of the strip, or row of tiles, that is being filled. */
  #rows: StoredSamples;
  #filled = 0;
  #row = 0;

  constructor(raster: Raster, type: StoredType, options: ImageOptions, sink: ByteSink, framed = false) {
    this.#raster = raster;
    this.#type = type;
    this.#options = options;
    this.#sink = sink;
    this.#framed = framed;
    this.#codec = codecs[compressions[options.Compression]]!;
    this.#predicted = isPredicted(options);
    const rowBytes = raster.width * storedArrays[type].BYTES_PER_ELEMENT;
    this.blockRows = options.Tiled
      ? Math.min(options.BlockSize, Math.max(16, Math.floor(mostTileRowBytes / rowBytes / 16) * 16))
      : Math.min(raster.height, Math.max(1, Math.floor(stripBytes / rowBytes)));
    const blockBytes = this.blockRows * (options.Tiled ? (rowBytes / raster.width) * options.BlockSize : rowBytes);
    this.#ahead = Math.max(leastAhead, Math.floor(packedAheadBytes / blockBytes));
    this.#rows = this.#emptyRows();
  }

  /** Whole rows of the image's type. */
  async add(samples: StoredSamples): Promise<void> {
    const { width, height } = this.#raster;
    for (let from = 0; from < samples.length; ) {
      const wanted = Math.min(this.blockRows, height - this.#row);
      const part = samples.subarray(from, from + (wanted - this.#filled) * width);
      from += part.length;
      copyInto(this.#rows, part, this.#filled * width);
      this.#filled += part.length / width;
      if (this.#filled < wanted) break;
      for (const block of this.#cut(wanted)) {
        this.#packing.push(this.#pack(block, this.#options.Tiled ? this.#options.BlockSize : width));
        if (this.#packing.length >= this.#ahead) await this.#appendFirst();
      }
      this.#row = this.#row + wanted === height ? 0 : this.#row + wanted;
      this.#filled = 0;
      // A strip is on its way now; tiles are copies.
      if (!this.#options.Tiled) this.#rows = this.#emptyRows();
    }
  }

  /** Waits until all blocks are in the sink. */
  async end(): Promise<void> {
    while (this.#packing.length > 0) await this.#appendFirst();
  }

  /** Waits for what is on its way, and forgets it. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#packing);
    this.#packing = [];
  }

  #emptyRows(): StoredSamples {
    return spareStored(this.#type, this.blockRows * this.#raster.width);
  }

  *#cut(rows: number): Generator<StoredSamples> {
    const { width, bands } = this.#raster;
    if (!this.#options.Tiled) {
      yield this.#rows.subarray(0, rows * width);
      return;
    }
    const side = this.#options.BlockSize;
    const { nodata = 0, exactNodata = nodata } = bands[0]!;
    for (let left = 0; left < width; left += side) {
      const right = Math.min(width, left + side);
      const tile = spareStored(this.#type, side * this.blockRows);
      if (right - left < side || rows < this.blockRows)
        fill(tile, typeof this.#rows[0] === 'bigint' ? exactNodata : nodata);
      for (let row = 0; row < rows; row++)
        copyInto(tile, this.#rows.subarray(row * width + left, row * width + right), row * side);
      yield tile;
    }
  }

  #pack(samples: StoredSamples, width: number): Promise<Uint8Array> {
    const packed = this.#predictAndPack(samples, width);
    // An error in an earlier block must not leave this one unheard.
    packed.catch(() => undefined);
    return packed;
  }

  /** The samples are not needed any more when they are packed; stored as they are, they belong to the sink. */
  async #predictAndPack(samples: StoredSamples, width: number): Promise<Uint8Array> {
    const rowBytes = width * samples.BYTES_PER_ELEMENT;
    if (!this.#predicted) return this.#codec.pack(storedBytes(samples), rowBytes);
    let bytes = storedBytes(samples);
    if (samples instanceof Float32Array || samples instanceof Float64Array) {
      bytes = spareBytesOf(samples.byteLength);
      takeFloatDifferences(samples, width, bytes);
      giveBack(samples);
    } else takeDifferences(samples, width);
    const packed = await this.#codec.pack(bytes, rowBytes);
    giveBack(bytes);
    return packed;
  }

  async #appendFirst(): Promise<void> {
    const bytes = await this.#packing.shift()!;
    if (this.#framed) {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      await this.#sink.append(length);
    }
    this.offsets.push(this.#sink.position);
    this.byteCounts.push(bytes.length);
    // A copy: the sink may use the memory of what it has written again.
    const trailer = Uint8Array.from(bytes.subarray(-4));
    await this.#sink.append(bytes);
    if (this.#framed) await this.#sink.append(trailer);
  }
}
