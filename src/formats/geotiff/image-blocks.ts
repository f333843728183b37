import { AppError } from '../../errors.ts';
import { bytesOf, isFloat, sampleArrays } from '../samples.ts';
import type { ByteSink, Grid, Samples, SampleType } from '../types.ts';
import type { Codec } from './compression.ts';
import { codecs } from './compression.ts';
import type { GeoTags } from './directory.ts';
import { tag } from './directory.ts';
import type { Field } from './encode.ts';
import { geoFields, tiffDirectory, tiffHeader } from './encode.ts';
import { takeDifferences, takeFloatDifferences } from './predictor.ts';

export interface ImageOptions {
  Compression: keyof typeof compressions;
  Predictor: boolean;
  Tiled: boolean;
  BlockSize: number;
  BigTiff: 'Auto' | 'Yes' | 'No';
}

const compressions = { None: 1, Lzw: 5, Deflate: 8, PackBits: 32773, Zstd: 50000 } as const;
const unpredicted: readonly string[] = ['None', 'PackBits'];

/** Raw bytes of a strip. */
const stripBytes = 1 << 19;
/** Blocks that are packed at the same time, on the thread pool. */
const packedAhead = 6;
/** Offsets of classic TIFF have 32 bits; packing may make a block a little larger. */
const classicLimit = 2 ** 32 - 2 ** 26;

/** An image under way: rows come in, from the first of the first band to the last of the last, packed blocks go out. */
export class ImageBlocks {
  readonly #grid: Grid;
  readonly #type: SampleType;
  readonly #options: ImageOptions;
  readonly #sink: ByteSink;
  readonly #codec: Codec;
  readonly #predicted: boolean;
  readonly #big: boolean;
  readonly #blockRows: number;
  readonly #offsets: number[] = [];
  readonly #byteCounts: number[] = [];
  #packing: Promise<Uint8Array>[] = [];
  /** Memory of predicted blocks that are packed by now, to be used again. */
  readonly #spare: Uint8Array[] = [];
  /** Rows of the strip, or row of tiles, that is being filled. */
  #rows: Samples;
  #filled = 0;
  #row = 0;

  private constructor(grid: Grid, type: SampleType, options: ImageOptions, sink: ByteSink) {
    this.#grid = grid;
    this.#type = type;
    this.#options = options;
    this.#sink = sink;
    this.#codec = codecs[compressions[options.Compression]]!;
    this.#predicted = options.Predictor && !unpredicted.includes(options.Compression);
    const rowBytes = grid.width * sampleArrays[type].BYTES_PER_ELEMENT;
    this.#blockRows = options.Tiled
      ? options.BlockSize
      : Math.min(grid.height, Math.max(1, Math.floor(stripBytes / rowBytes)));
    const raw = rowBytes * grid.height * grid.bands.length;
    this.#big = options.BigTiff === 'Yes' || (options.BigTiff === 'Auto' && raw > classicLimit);
    this.#rows = this.#emptyRows();
  }

  static async begin(grid: Grid, type: SampleType, options: ImageOptions, sink: ByteSink): Promise<ImageBlocks> {
    const image = new ImageBlocks(grid, type, options, sink);
    await sink.append(tiffHeader(image.#big, 0));
    return image;
  }

  /** Whole rows of the image's type. */
  async add(samples: Samples): Promise<void> {
    const { width, height } = this.#grid;
    for (let from = 0; from < samples.length; ) {
      const wanted = Math.min(this.#blockRows, height - this.#row);
      const part = samples.subarray(from, from + (wanted - this.#filled) * width);
      from += part.length;
      this.#rows.set(part, this.#filled * width);
      this.#filled += part.length / width;
      if (this.#filled < wanted) break;
      for (const block of this.#cut(wanted)) {
        this.#packing.push(this.#pack(block, this.#options.Tiled ? this.#options.BlockSize : width));
        if (this.#packing.length >= packedAhead) await this.#appendFirst();
      }
      this.#row = this.#row + wanted === height ? 0 : this.#row + wanted;
      this.#filled = 0;
      this.#rows = this.#emptyRows();
    }
  }

  /** Waits for what is on its way, and forgets it. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#packing);
    this.#packing = [];
  }

  async end(geoTags: GeoTags | undefined): Promise<void> {
    while (this.#packing.length > 0) await this.#appendFirst();
    if (this.#sink.position % 2 === 1) await this.#sink.append(new Uint8Array(1));
    const offset = this.#sink.position;
    const directory = tiffDirectory(this.#fields(geoTags), offset, this.#big);
    this.#checkSize(offset + directory.length);
    await this.#sink.append(directory);
    await this.#sink.patch(0, tiffHeader(this.#big, offset));
  }

  #emptyRows(): Samples {
    return new sampleArrays[this.#type](this.#blockRows * this.#grid.width);
  }

  *#cut(rows: number): Generator<Samples> {
    const { width } = this.#grid;
    if (!this.#options.Tiled) {
      yield this.#rows.subarray(0, rows * width);
      return;
    }
    const side = this.#options.BlockSize;
    const fill = this.#nodata ?? 0;
    for (let left = 0; left < width; left += side) {
      const tile = new sampleArrays[this.#type](side * side).fill(fill);
      const right = Math.min(width, left + side);
      for (let row = 0; row < rows; row++)
        tile.set(this.#rows.subarray(row * width + left, row * width + right), row * side);
      yield tile;
    }
  }

  #pack(samples: Samples, width: number): Promise<Uint8Array> {
    const packed = this.#predictAndPack(samples, width);
    // An error in an earlier block must not leave this one unheard.
    packed.catch(() => undefined);
    return packed;
  }

  async #predictAndPack(samples: Samples, width: number): Promise<Uint8Array> {
    const rowBytes = width * samples.BYTES_PER_ELEMENT;
    if (!this.#predicted) return this.#codec.pack(bytesOf(samples), rowBytes);
    if (!(samples instanceof Float32Array || samples instanceof Float64Array)) {
      takeDifferences(samples, width);
      return this.#codec.pack(bytesOf(samples), rowBytes);
    }
    const bytes = (this.#spare.pop() ?? new Uint8Array(this.#largestBlock)).subarray(0, samples.byteLength);
    takeFloatDifferences(samples, width, bytes);
    const packed = await this.#codec.pack(bytes, rowBytes);
    this.#spare.push(new Uint8Array(bytes.buffer));
    return packed;
  }

  get #largestBlock(): number {
    const { BlockSize, Tiled } = this.#options;
    return this.#blockRows * (Tiled ? BlockSize : this.#grid.width) * sampleArrays[this.#type].BYTES_PER_ELEMENT;
  }

  async #appendFirst(): Promise<void> {
    const bytes = await this.#packing.shift()!;
    this.#offsets.push(this.#sink.position);
    this.#byteCounts.push(bytes.length);
    this.#checkSize(this.#sink.position + bytes.length);
    await this.#sink.append(bytes);
  }

  #checkSize(end: number): void {
    if (!this.#big && end >= 2 ** 32)
      throw new AppError('unprocessable', 'The GeoTIFF would be larger than 4 GB, which takes BigTiff Yes or Auto.');
  }

  get #nodata(): number | undefined {
    return this.#grid.bands[0]!.nodata;
  }

  #fields(geoTags: GeoTags | undefined): Field[] {
    const { width, height, bands } = this.#grid;
    const each = (value: number) => bands.map(() => value);
    const bits = sampleArrays[this.#type].BYTES_PER_ELEMENT * 8;
    const format = isFloat(this.#type) ? 3 : this.#type.startsWith('U') ? 1 : 2;
    const predictor = isFloat(this.#type) ? 3 : 2;
    const fields: Field[] = [
      { tag: tag.imageWidth, type: 'long', values: [width] },
      { tag: tag.imageLength, type: 'long', values: [height] },
      { tag: tag.bitsPerSample, type: 'short', values: each(bits) },
      { tag: tag.compression, type: 'short', values: [compressions[this.#options.Compression]] },
      { tag: tag.photometric, type: 'short', values: [1] },
      { tag: tag.samplesPerPixel, type: 'short', values: [bands.length] },
      { tag: tag.planarConfiguration, type: 'short', values: [bands.length === 1 ? 1 : 2] },
      { tag: tag.sampleFormat, type: 'short', values: each(format) },
      ...this.#blockFields(),
      ...placeFields(this.#grid),
    ];
    if (bands.length > 1) fields.push({ tag: tag.extraSamples, type: 'short', values: each(0).slice(1) });
    if (this.#predicted) fields.push({ tag: tag.predictor, type: 'short', values: [predictor] });
    if (this.#nodata !== undefined) fields.push({ tag: tag.gdalNodata, type: 'ascii', values: this.#nodataText() });
    return geoTags === undefined ? fields : [...fields, ...geoFields(geoTags)];
  }

  #blockFields(): Field[] {
    const side = this.#options.BlockSize;
    if (this.#options.Tiled)
      return [
        { tag: tag.tileWidth, type: 'long', values: [side] },
        { tag: tag.tileLength, type: 'long', values: [side] },
        { tag: tag.tileOffsets, type: 'offset', values: this.#offsets },
        { tag: tag.tileByteCounts, type: 'offset', values: this.#byteCounts },
      ];
    return [
      { tag: tag.rowsPerStrip, type: 'long', values: [this.#blockRows] },
      { tag: tag.stripOffsets, type: 'offset', values: this.#offsets },
      { tag: tag.stripByteCounts, type: 'offset', values: this.#byteCounts },
    ];
  }

  #nodataText(): string {
    const nodata = this.#type === 'Float32' ? Math.fround(this.#nodata!) : this.#nodata!;
    return Number.isFinite(nodata) ? String(nodata) : String(nodata).toLowerCase().replace('infinity', 'inf');
  }
}

/** Corner and scale where rows run south and columns east, else the full matrix. */
function placeFields({ affine: [x, a, b, y, c, d] }: Grid): Field[] {
  if (b === 0 && c === 0 && a > 0 && d < 0)
    return [
      { tag: tag.modelPixelScale, type: 'double', values: [a, -d, 0] },
      { tag: tag.modelTiepoint, type: 'double', values: [0, 0, 0, x, y, 0] },
    ];
  return [{ tag: tag.modelTransformation, type: 'double', values: [a, b, 0, x, c, d, 0, y, 0, 0, 0, 0, 0, 0, 0, 1] }];
}
