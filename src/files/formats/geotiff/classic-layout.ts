import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { StoredType, StoredValues } from '../../data/stored-values.ts';
import type { GeoTags } from './directory.ts';
import { checkSize, ImageBlocks, type ImageOptions, isBig, rawBytes } from './image-blocks.ts';
import { georeferenceFields, imageFields } from './image-tags.ts';
import { tiffDirectory, tiffHeader } from './write-directory.ts';

/** Writes the image of a GeoTIFF. */
export interface TiffImage {
  /** Adds whole rows, band after band. */
  add(samples: StoredValues): Promise<void>;
  /** Waits for pending work and discards the image. */
  abandon(): Promise<void>;
  /** Writes the rest of the file. */
  end(geoTags: GeoTags | undefined): Promise<void>;
}

/** Writes blocks as they come and the IFD after them, then patches the offset of the IFD in the header. */
export class ClassicTiff implements TiffImage {
  readonly #grid: Grid;
  readonly #type: StoredType;
  readonly #options: ImageOptions;
  readonly #sink: ByteSink;
  readonly #blocks: ImageBlocks;
  readonly #big: boolean;

  private constructor(grid: Grid, type: StoredType, options: ImageOptions, sink: ByteSink) {
    this.#grid = grid;
    this.#type = type;
    this.#options = options;
    this.#sink = sink;
    this.#big = isBig(options, rawBytes(grid, type));
    this.#blocks = new ImageBlocks(grid, type, options, sink);
  }

  static async begin(grid: Grid, type: StoredType, options: ImageOptions, sink: ByteSink): Promise<ClassicTiff> {
    const image = new ClassicTiff(grid, type, options, sink);
    await sink.append(tiffHeader(image.#big, 0));
    return image;
  }

  async add(samples: StoredValues): Promise<void> {
    await this.#blocks.add(samples);
    checkSize(this.#big, this.#sink.position);
  }

  abandon(): Promise<void> {
    return this.#blocks.abandon();
  }

  async end(geoTags: GeoTags | undefined): Promise<void> {
    await this.#blocks.end();
    if (this.#sink.position % 2 === 1) await this.#sink.append(new Uint8Array(1));
    const offset = this.#sink.position;
    const fields = imageFields(this.#grid, this.#type, this.#options, this.#blocks);
    const directory = tiffDirectory([...fields, ...georeferenceFields(this.#grid, geoTags)], offset, this.#big);
    checkSize(this.#big, offset + directory.length);
    await this.#sink.append(directory);
    await this.#sink.patch(0, tiffHeader(this.#big, offset));
  }
}
