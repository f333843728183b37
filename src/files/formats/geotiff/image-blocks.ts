import { pooledBytes, releaseBuffer } from '../../data/buffer-pool.ts';
import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { bytesOfValues, bytesPerValue, type StoredType, type StoredValues } from '../../data/stored-values.ts';
import { ConversionError } from '../../errors.ts';
import { type Codec, codecs } from './compression.ts';
import { applyDifferences, applyFloatDifferences } from './predictor.ts';
import { copyInto, fill, spareStored } from './stored.ts';

export interface ImageOptions {
  Compression: keyof typeof compressions;
  Predictor: boolean;
  Tiled: boolean;
  BlockSize: number;
  BigTiff: 'Auto' | 'Yes' | 'No';
}

/** Values of the tag Compression. */
export const compressions = { None: 1, Lzw: 5, Deflate: 8, PackBits: 32773, Zstd: 50000 } as const;

export const isPredicted = ({ Predictor, Compression }: ImageOptions): boolean =>
  Predictor && Compression !== 'None' && Compression !== 'PackBits';

/** The properties of a grid on which its blocks depend. */
export type Raster = Pick<Grid, 'width' | 'height' | 'bands'>;

/**
 * Uncompressed size of a strip, and maximum size of a row of tiles; tiles of a very wide image have fewer rows than
 * columns.
 */
const stripBytes = 1 << 19;
const maxTileRowBytes = 1 << 27;
/** Uncompressed size of the blocks that are compressed in parallel on the thread pool, and their minimum number. */
const pendingBytes = 12 << 20;
const minPending = 6;
/** Offsets of classic TIFF have 32 bits. The margin is for compression that makes blocks larger. */
const classicLimit = 2 ** 32 - 2 ** 26;

/** Whether to write BigTIFF, for the given uncompressed size. */
export const isBig = ({ BigTiff }: ImageOptions, raw: number): boolean =>
  BigTiff === 'Yes' || (BigTiff === 'Auto' && raw > classicLimit);

export const rawBytes = ({ width, height, bands }: Raster, type: StoredType): number =>
  width * height * bands.length * bytesPerValue(type);

/** @throws ConversionError if a classic TIFF would be larger than 4 GB */
export function checkSize(big: boolean, end: number): void {
  if (!big && end >= 2 ** 32)
    throw new ConversionError('The GeoTIFF would be larger than 4 GB. Set BigTiff to Yes or Auto.');
}

/** Cuts rows of an image, band after band, into blocks, and writes compressed blocks to a sink. */
export class ImageBlocks {
  /** Offsets in the sink of the blocks written so far. */
  readonly offsets: number[] = [];
  readonly byteCounts: number[] = [];
  readonly blockRows: number;
  readonly #raster: Raster;
  readonly #type: StoredType;
  readonly #options: ImageOptions;
  readonly #sink: ByteSink;
  /** Write leader and trailer around each block, as declared in the ghost area of a COG. */
  readonly #framed: boolean;
  readonly #codec: Codec;
  readonly #predicted: boolean;
  readonly #maxPending: number;
  #pending: Promise<Uint8Array>[] = [];
  /** Rows of the current strip or row of tiles. */
  #rows: StoredValues;
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
    const rowBytes = raster.width * bytesPerValue(type);
    this.blockRows = options.Tiled
      ? Math.min(options.BlockSize, Math.max(16, Math.floor(maxTileRowBytes / rowBytes / 16) * 16))
      : Math.min(raster.height, Math.max(1, Math.floor(stripBytes / rowBytes)));
    const blockBytes = this.blockRows * (options.Tiled ? (rowBytes / raster.width) * options.BlockSize : rowBytes);
    this.#maxPending = Math.max(minPending, Math.floor(pendingBytes / blockBytes));
    this.#rows = this.#emptyRows();
  }

  /** Adds whole rows in the sample type of the image. */
  async add(samples: StoredValues): Promise<void> {
    const { width, height } = this.#raster;
    for (let from = 0; from < samples.length; ) {
      const wanted = Math.min(this.blockRows, height - this.#row);
      const part = samples.subarray(from, from + (wanted - this.#filled) * width);
      from += part.length;
      copyInto(this.#rows, part, this.#filled * width);
      this.#filled += part.length / width;
      if (this.#filled < wanted) break;
      for (const block of this.#cut(wanted)) {
        this.#pending.push(this.#compress(block, this.#options.Tiled ? this.#options.BlockSize : width));
        if (this.#pending.length >= this.#maxPending) await this.#appendFirst();
      }
      this.#row = this.#row + wanted === height ? 0 : this.#row + wanted;
      this.#filled = 0;
      // The pending strip uses this memory. Tiles are copies.
      if (!this.#options.Tiled) this.#rows = this.#emptyRows();
    }
  }

  /** Writes all pending blocks. */
  async end(): Promise<void> {
    while (this.#pending.length > 0) await this.#appendFirst();
  }

  /** Waits for pending blocks and drops them. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#pending);
    this.#pending = [];
  }

  #emptyRows(): StoredValues {
    return spareStored(this.#type, this.blockRows * this.#raster.width);
  }

  *#cut(rows: number): Generator<StoredValues> {
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

  #compress(samples: StoredValues, width: number): Promise<Uint8Array> {
    const compressed = this.#predictAndCompress(samples, width);
    // After an error in an earlier block nobody awaits this one: do not report its failure as unhandled.
    compressed.catch(() => undefined);
    return compressed;
  }

  /**
   * Returns compressed bytes and recycles the memory of the samples; without compression the bytes are the samples
   * themselves.
   */
  async #predictAndCompress(samples: StoredValues, width: number): Promise<Uint8Array> {
    const rowBytes = width * samples.BYTES_PER_ELEMENT;
    if (!this.#predicted) return this.#codec.encode(bytesOfValues(samples), rowBytes);
    let bytes = bytesOfValues(samples);
    if (samples instanceof Float32Array || samples instanceof Float64Array) {
      bytes = pooledBytes(samples.byteLength);
      applyFloatDifferences(samples, width, bytes);
      releaseBuffer(samples);
    } else applyDifferences(samples, width);
    const compressed = await this.#codec.encode(bytes, rowBytes);
    releaseBuffer(bytes);
    return compressed;
  }

  async #appendFirst(): Promise<void> {
    const bytes = await this.#pending.shift()!;
    if (this.#framed) {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      await this.#sink.append(length);
    }
    this.offsets.push(this.#sink.position);
    this.byteCounts.push(bytes.length);
    // A copy, because the sink recycles the memory of bytes that it has written.
    const trailer = Uint8Array.from(bytes.subarray(-4));
    await this.#sink.append(bytes);
    if (this.#framed) await this.#sink.append(trailer);
  }
}
