import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { StoredType, StoredValues } from '../../data/stored-values.ts';
import { ScratchFile } from '../io/scratch-file.ts';
import type { TiffImage } from './classic-layout.ts';
import { type GeoTags, tag } from './directory.ts';
import { checkSize, ImageBlocks, type ImageOptions, isBig, type Raster, rawBytes } from './image-blocks.ts';
import { georeferenceFields, imageFields } from './image-tags.ts';
import { OverviewBuilder } from './overview.ts';
import { type Field, tiffDirectory, tiffHeader } from './write-directory.ts';

export interface CogOptions extends ImageOptions {
  overviews: boolean;
  /** Resampling of overviews: average, or else nearest. */
  average: boolean;
}

interface Level {
  raster: Raster;
  file: ScratchFile;
  blocks: ImageBlocks;
  /** Builds the next smaller level. */
  overview?: OverviewBuilder;
}

/**
 * Writes a Cloud Optimized GeoTIFF (OGC 21-026): all IFDs first, then the tiles of the smallest overview, up to those
 * of the full image. So the compressed tiles are kept in temporary files, together as large as the output, until the
 * last one is known.
 */
export class CogTiff implements TiffImage {
  readonly #grid: Grid;
  readonly #type: StoredType;
  readonly #options: CogOptions;
  readonly #sink: ByteSink;
  readonly #levels: Level[] = [];

  private constructor(grid: Grid, type: StoredType, options: CogOptions, sink: ByteSink) {
    this.#grid = grid;
    this.#type = type;
    this.#options = options;
    this.#sink = sink;
  }

  static async begin(
    grid: Grid,
    type: StoredType,
    options: CogOptions,
    sink: ByteSink,
    scratch: string,
  ): Promise<CogTiff> {
    const image = new CogTiff(grid, type, options, sink);
    try {
      let raster: Raster | undefined = grid;
      while (raster !== undefined) raster = await image.#addLevel(raster, scratch);
    } catch (error) {
      await image.abandon();
      throw error;
    }
    return image;
  }

  /**
   * Adds a level and returns the raster of the next one. Returns undefined after the level that fits into a single
   * tile.
   */
  async #addLevel({ width, height }: Raster, scratch: string): Promise<Raster | undefined> {
    const { bands } = this.#grid;
    const { BlockSize: side, overviews, average } = this.#options;
    const file = await ScratchFile.create(scratch);
    const raster = { width, height, bands };
    const blocks = new ImageBlocks(raster, this.#type, this.#options, file.sink, true);
    const level: Level = { raster, file, blocks };
    this.#levels.push(level);
    if (!overviews || (width <= side && height <= side)) return undefined;
    const { nodata } = bands[0]!;
    level.overview = new OverviewBuilder({
      width,
      height,
      type: this.#type,
      average,
      ...(nodata === undefined ? {} : { nodata }),
    });
    return { width: level.overview.width, height: level.overview.height, bands };
  }

  add(samples: StoredValues): Promise<void> {
    return this.#add(0, samples);
  }

  async #add(n: number, samples: StoredValues): Promise<void> {
    const { blocks, overview } = this.#levels[n]!;
    await blocks.add(samples);
    if (overview !== undefined) for (const row of overview.add(samples)) await this.#add(n + 1, row);
  }

  async abandon(): Promise<void> {
    for (const { blocks, file } of this.#levels.splice(0)) {
      await blocks.abandon();
      await file[Symbol.asyncDispose]();
    }
  }

  async end(geoTags: GeoTags | undefined): Promise<void> {
    const levels = this.#levels;
    for (const { blocks } of levels) await blocks.end();
    const big = isBig(
      this.#options,
      levels.reduce((sum, { raster }) => sum + rawBytes(raster, this.#type), 0),
    );
    const ghost = ghostArea(this.#grid.bands.length);
    const start = tiffHeader(big, 0).length + ghost.length;
    // The size of an IFD does not depend on the offsets of tiles.
    const sizes = levels.map((level, n) => tiffDirectory(this.#fields(level, n, 0, geoTags), 0, big).length);
    const data = start + sizes.reduce((sum, size) => sum + size, 0);
    const shifts: number[] = [];
    let next = data;
    for (const [n, { file }] of [...levels.entries()].reverse()) {
      shifts[n] = next;
      next += file.sink.position;
    }
    checkSize(big, next);
    await this.#sink.append(tiffHeader(big, start));
    await this.#sink.append(ghost);
    let offset = start;
    for (const [n, level] of levels.entries()) {
      const following = n + 1 < levels.length ? offset + sizes[n]! : 0;
      await this.#sink.append(tiffDirectory(this.#fields(level, n, shifts[n]!, geoTags), offset, big, following));
      offset += sizes[n]!;
    }
    for (const { file } of levels.toReversed()) for await (const piece of file.pieces()) await this.#sink.append(piece);
    await this.abandon();
  }

  #fields({ raster, blocks }: Level, n: number, shift: number, geoTags: GeoTags | undefined): Field[] {
    const fields = imageFields(raster, this.#type, this.#options, blocks, shift);
    if (n === 0) return [...fields, ...georeferenceFields(this.#grid, geoTags)];
    return [{ tag: tag.newSubfileType, type: 'long', values: [1] }, ...fields];
  }
}

/** GDAL's ghost area after the header. It tells readers the order of tiles, which saves them requests. */
function ghostArea(bands: number): Buffer {
  const lines = [
    'LAYOUT=IFDS_BEFORE_DATA',
    // With several bands, tiles are in band order, not in row-major order.
    ...(bands === 1 ? ['BLOCK_ORDER=ROW_MAJOR'] : []),
    'BLOCK_LEADER=SIZE_AS_UINT4',
    'BLOCK_TRAILER=LAST_4_BYTES_REPEATED',
    'KNOWN_INCOMPATIBLE_EDITION=NO',
  ];
  // The blank leaves room for YES, which a program writes when it breaks the layout.
  const text = `${lines.join('\n')}\n `;
  const head = `GDAL_STRUCTURAL_METADATA_SIZE=${String(text.length).padStart(6, '0')} bytes\n`;
  const all = head + text;
  // The first IFD starts at an even offset.
  return Buffer.from(all.length % 2 === 0 ? all : `${all}\0`, 'latin1');
}
