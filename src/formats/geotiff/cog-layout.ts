import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { FileSink, FileSource } from '../io/bytes.ts';
import type { Image } from './classic-layout.ts';
import type { GeoTags } from './directory.ts';
import { tag } from './directory.ts';
import type { ImageOptions, Raster } from './image-blocks.ts';
import { checkSize, ImageBlocks, isBig, rawBytes } from './image-blocks.ts';
import { imageFields, placeFields } from './image-tags.ts';
import { Halver } from './overview.ts';
import type { StoredSamples, StoredType } from './stored.ts';
import type { Field } from './write-directory.ts';
import { tiffDirectory, tiffHeader } from './write-directory.ts';

export interface CloudOptions extends ImageOptions {
  /** How smaller images are made; without, there are none. */
  average: boolean;
  overviews: boolean;
}

interface Level {
  raster: Raster;
  path: string;
  sink: FileSink;
  blocks: ImageBlocks;
  /** Makes the next smaller level. */
  halver?: Halver;
}

const chunk = 1 << 20;

/**
 * A Cloud Optimized GeoTIFF under way (OGC 21-026): all lists of tags first, then the tiles, those of the smallest image before those of
 * larger ones. So the tiles wait in files in the scratch folder, as large as the output, until the last one is packed.
 */
export class CloudImage implements Image {
  readonly #grid: Grid;
  readonly #type: StoredType;
  readonly #options: CloudOptions;
  readonly #sink: ByteSink;
  readonly #levels: Level[] = [];

  private constructor(grid: Grid, type: StoredType, options: CloudOptions, sink: ByteSink) {
    this.#grid = grid;
    this.#type = type;
    this.#options = options;
    this.#sink = sink;
  }

  static async begin(
    grid: Grid,
    type: StoredType,
    options: CloudOptions,
    sink: ByteSink,
    scratch: string,
  ): Promise<CloudImage> {
    const image = new CloudImage(grid, type, options, sink);
    try {
      for (
        let raster: Raster | undefined = grid;
        raster !== undefined;
        raster = await image.#addLevel(raster, scratch)
      );
    } catch (error) {
      await image.abandon();
      throw error;
    }
    return image;
  }

  /** Gives the raster of the next level, if one is needed: the smallest has a single tile. */
  async #addLevel({ width, height }: Raster, scratch: string): Promise<Raster | undefined> {
    const { bands } = this.#grid;
    const { BlockSize: side, overviews, average } = this.#options;
    const path = join(scratch, `${randomUUID()}.tiles`);
    const sink = await FileSink.create(path, { checksum: false });
    const raster = { width, height, bands };
    const level: Level = { raster, path, sink, blocks: new ImageBlocks(raster, this.#type, this.#options, sink, true) };
    this.#levels.push(level);
    if (!overviews || (width <= side && height <= side)) return undefined;
    const { nodata } = bands[0]!;
    level.halver = new Halver({
      width,
      height,
      type: this.#type,
      average,
      ...(nodata === undefined ? {} : { nodata }),
    });
    return { width: level.halver.width, height: level.halver.height, bands };
  }

  add(samples: StoredSamples): Promise<void> {
    return this.#add(0, samples);
  }

  async #add(n: number, samples: StoredSamples): Promise<void> {
    const { blocks, halver } = this.#levels[n]!;
    await blocks.add(samples);
    if (halver !== undefined) for (const row of halver.add(samples)) await this.#add(n + 1, row);
  }

  async abandon(): Promise<void> {
    for (const { blocks, sink, path } of this.#levels.splice(0)) {
      await blocks.abandon();
      await sink.close();
      await rm(path, { force: true });
    }
  }

  async end(geoTags: GeoTags | undefined): Promise<void> {
    const levels = this.#levels;
    for (const { blocks, sink } of levels) {
      await blocks.end();
      await sink.flush();
    }
    const big = isBig(
      this.#options,
      levels.reduce((sum, { raster }) => sum + rawBytes(raster, this.#type), 0),
    );
    const ghost = ghostArea(this.#grid.bands.length);
    const start = tiffHeader(big, 0).length + ghost.length;
    // The lists have the same size wherever the tiles are.
    const sizes = levels.map((level, n) => tiffDirectory(this.#fields(level, n, 0, geoTags), 0, big).length);
    const data = start + sizes.reduce((sum, size) => sum + size, 0);
    const shifts: number[] = [];
    let next = data;
    for (const [n, { sink }] of [...levels.entries()].reverse()) {
      shifts[n] = next;
      next += sink.position;
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
    for (const { path } of levels.toReversed()) await this.#copy(path);
    await this.abandon();
  }

  #fields({ raster, blocks }: Level, n: number, shift: number, geoTags: GeoTags | undefined): Field[] {
    const fields = imageFields(raster, this.#type, this.#options, blocks, shift);
    if (n === 0) return [...fields, ...placeFields(this.#grid, geoTags)];
    return [{ tag: tag.newSubfileType, type: 'long', values: [1] }, ...fields];
  }

  async #copy(path: string): Promise<void> {
    const source = await FileSource.open(path, { checksum: false });
    try {
      for (let at = 0; at < source.size; at += chunk) await this.#sink.append(await source.read(at, chunk));
    } finally {
      await source.close();
    }
  }
}

/** What GDAL writes behind the header to tell readers how the tiles lie, so that they need to ask for less. */
function ghostArea(bands: number): Buffer {
  const lines = [
    'LAYOUT=IFDS_BEFORE_DATA',
    // Tiles of several bands lie band after band.
    ...(bands === 1 ? ['BLOCK_ORDER=ROW_MAJOR'] : []),
    'BLOCK_LEADER=SIZE_AS_UINT4',
    'BLOCK_TRAILER=LAST_4_BYTES_REPEATED',
    'KNOWN_INCOMPATIBLE_EDITION=NO',
  ];
  // The blank leaves room for a YES of a program that changes the file.
  const text = `${lines.join('\n')}\n `;
  const head = `GDAL_STRUCTURAL_METADATA_SIZE=${String(text.length).padStart(6, '0')} bytes\n`;
  const all = head + text;
  // The first list of tags follows at the next even byte.
  return Buffer.from(all.length % 2 === 0 ? all : `${all}\0`, 'latin1');
}
