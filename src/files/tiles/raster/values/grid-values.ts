import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { RandomGrid } from '../../../data/grid.ts';
import type { Samples } from '../../../data/item.ts';
import { bytesOf } from '../../../data/samples.ts';
import type { GridPixels, SourceCells } from '../grid-pixels.ts';
import {
  type Coverage,
  type CoveredArea,
  type GridValuesDescription,
  type ItemValues,
  type KeptSlice,
  type SourceSlice,
  sliceValuesName,
  type ValueEntries,
} from './item-values.ts';

/** Sides of the chunks in cells. */
export const CHUNK = 256;
/** Sides of the blocks of cells whose state is known. */
const BLOCK = 16;
const [NONE, ALL, MIXED] = [0, 1, 2];

/** A plane of an item: a spilled grid, and its pixels in Web Mercator. */
export interface ValuePlane {
  readonly grid: RandomGrid;
  readonly whole: boolean;
  readonly pixels: GridPixels;
}

/** The level of an archive whose tiles are the chunks of a grid. */
export const chunkLevel = ({ width, height }: Pick<GridValuesDescription, 'width' | 'height'>): number =>
  Math.ceil(Math.log2(Math.max(1, Math.ceil(width / CHUNK), Math.ceil(height / CHUNK))));

/** Values of a grid in chunks of 256 × 256 cells, plane after plane; those without a value are left out. */
export class GridValues implements ItemValues {
  readonly description: GridValuesDescription;
  readonly #planes: readonly ValuePlane[];

  constructor(planes: readonly ValuePlane[]) {
    const { width, height, affine, crs } = planes[0]!.grid;
    this.#planes = planes;
    this.description = {
      kind: 'grid',
      width,
      height,
      affine,
      crs: crs!,
      planes: planes.map(({ grid, whole }) => ({ type: grid.bands[0]!.type as 'Float32' | 'Float64', whole })),
    };
  }

  async keep(name: string, { slice, kept }: KeptSlice, entries: ValueEntries): Promise<void> {
    const { width } = this.description;
    const level = chunkLevel(this.description);
    await entries.archive(sliceValuesName(name, kept), async (add) => {
      for await (const { firstRow, rowCount, planes } of this.#rows(slice))
        for (let left = 0; left < width; left += CHUNK) {
          const columns = Math.min(CHUNK, width - left);
          const chunk = planes.map((values) => cut(values, { left, columns, rowCount, width }));
          if (chunk.every((values) => values.every(Number.isNaN))) continue;
          await add(level, left / CHUNK, firstRow / CHUNK, gzipSync(Buffer.concat(chunk.map(bytesOf)), { level: 1 }));
        }
    });
  }

  async coverage(slice: SourceSlice): Promise<Coverage> {
    const { width, height } = this.description;
    const across = Math.ceil(width / BLOCK);
    const states = new Uint8Array(across * Math.ceil(height / BLOCK));
    const digests: string[] = [];
    for await (const { firstRow, rowCount, planes } of this.#rows(slice)) {
      const mask = new Uint8Array(rowCount * width);
      for (const values of planes) for (let n = 0; n < mask.length; n++) if (!Number.isNaN(values[n]!)) mask[n] = 1;
      for (let row = 0; row < rowCount; row += BLOCK)
        for (let column = 0; column < width; column += BLOCK)
          states[((firstRow + row) / BLOCK) * across + column / BLOCK] = stateOf(mask, {
            row,
            column,
            rowCount,
            width,
          });
      digests.push(hash('sha1', mask));
    }
    return { digest: digests.join(), area: new GridArea(this.#planes[0]!.pixels, { states, across, width, height }) };
  }

  /** Rows of chunks of all planes. */
  async *#rows(slice: SourceSlice): AsyncGenerator<{ firstRow: number; rowCount: number; planes: Samples[] }> {
    const { height } = this.description;
    for (let firstRow = 0; firstRow < height; firstRow += CHUNK) {
      const rowCount = Math.min(CHUNK, height - firstRow);
      const planes: Samples[] = [];
      for (const { grid } of this.#planes) planes.push(await grid.read({ band: 0, ...slice }, firstRow, rowCount));
      yield { firstRow, rowCount, planes };
    }
  }
}

function cut(
  values: Samples,
  { left, columns, rowCount, width }: { left: number; columns: number; rowCount: number; width: number },
): Samples {
  const part = values.slice(0, rowCount * columns);
  for (let row = 0; row < rowCount; row++)
    part.set(values.subarray(row * width + left, row * width + left + columns), row * columns);
  return part;
}

function stateOf(
  mask: Uint8Array,
  { row, column, rowCount, width }: { row: number; column: number; rowCount: number; width: number },
): number {
  const [endRow, endColumn] = [Math.min(rowCount, row + BLOCK), Math.min(width, column + BLOCK)];
  let count = 0;
  for (let y = row; y < endRow; y++) for (let x = column; x < endColumn; x++) count += mask[y * width + x]!;
  if (count === 0) return NONE!;
  return count === (endRow - row) * (endColumn - column) ? ALL! : MIXED!;
}

interface BlockStates {
  readonly states: Uint8Array;
  readonly across: number;
  readonly width: number;
  readonly height: number;
}

/** A pixel has a value exactly if it lies in a cell that has one. */
class GridArea implements CoveredArea {
  readonly #pixels: GridPixels;
  readonly #blocks: BlockStates;

  constructor(pixels: GridPixels, blocks: BlockStates) {
    this.#pixels = pixels;
    this.#blocks = blocks;
  }

  of(level: number, column: number, row: number): 'all' | 'none' | CoveredArea {
    const cells = this.#pixels.cellsOfTile(level, column, row);
    if (cells === undefined) return this;
    const state = this.#stateOf(cells);
    return state === ALL ? 'all' : state === NONE ? 'none' : this;
  }

  #stateOf({ left, right, top, bottom }: SourceCells): number {
    const { states, across, width, height } = this.#blocks;
    if (right < 0 || bottom < 0 || left > width || top > height) return NONE!;
    const isInside = left >= 0 && top >= 0 && right <= width && bottom <= height;
    const first = (at: number) => Math.floor(Math.max(0, at) / BLOCK);
    const last = (at: number, end: number) => Math.floor(Math.min(end - 1, at) / BLOCK);
    let common: number | undefined = isInside ? undefined : NONE;
    for (let y = first(top); y <= last(bottom, height); y++)
      for (let x = first(left); x <= last(right, width); x++) {
        const state = states[y * across + x]!;
        common ??= state;
        if (state !== common || state === MIXED) return MIXED!;
      }
    return common ?? NONE!;
  }
}
