import { releaseBuffer } from '../../data/buffer-pool.ts';
import type { TileRange } from '../matrices.ts';
import { type Aggregation, ArrayPool, addTile, newSums, type SummedTile, type Sums, valuesOf } from './tile-sums.ts';

/** Whole rows of a lattice, whose values are used again when the next ones are asked for. NaN is no data. */
export interface ValueRows {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly values: Float64Array;
}

/** A tile that has data. */
export interface DrawnTile {
  readonly level: number;
  readonly column: number;
  readonly row: number;
  /** One per plane: a value, or red, green, blue, alpha. */
  readonly planes: readonly Float64Array[];
}

/** Tiles of the base level next to each other, and their pixels plane by plane. */
export interface Strip {
  readonly range: TileRange;
  readonly planes: readonly AsyncIterable<ValueRows>[];
}

export interface PyramidOptions {
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** The level of the strips; all levels above are made of it. */
  readonly base: number;
  /** Levels to be emitted, at most `base`. */
  readonly levels: readonly number[];
  readonly method: Aggregation;
  /** The caller uses the planes again when the call has ended. */
  emit(tile: DrawnTile): Promise<void>;
  /** Levels above the base whose sums are passed on too, from which the levels above them can be drawn later. */
  readonly sums?: { readonly levels: readonly number[]; take(tile: SummedTile): Promise<void> };
}

/**
 * Draws the tiles of a level and of those above it. A pixel above is the mean, or the maximum, of all pixels of the
 * base level in it that have data. Memory holds one row of tiles of each level.
 */
export async function drawPyramid(strips: readonly Strip[], options: PyramidOptions): Promise<void> {
  const { tileWidth, tileHeight } = options;
  const firstRow = Math.min(...strips.map(({ range }) => range.firstRow));
  const endRow = Math.max(...strips.map(({ range }) => range.endRow));
  const pool = new ArrayPool(tileWidth * tileHeight);
  const feeds = strips.map((strip) => new StripFeed(strip, tileWidth, tileHeight, pool));
  const planes = strips[0]?.planes.length ?? 1;
  const above = new Above(options, planes, endRow, pool);
  try {
    for (let row = firstRow; row < endRow; row++) {
      const tiles = new Map<number, Sums>();
      for (const feed of feeds) await feed.take(row, tiles);
      await above.finish(options.base, row, tiles);
    }
  } finally {
    for (const feed of feeds) await feed.close();
    pool.close();
  }
}

/** Cuts the rows of a strip into tiles. */
class StripFeed {
  readonly #pool: ArrayPool;
  readonly #strip: Strip;
  readonly #width: number;
  readonly #height: number;
  readonly #blocks: AsyncIterator<ValueRows>[];
  readonly #current: (ValueRows | undefined)[];

  constructor(strip: Strip, tileWidth: number, tileHeight: number, pool: ArrayPool) {
    this.#pool = pool;
    this.#strip = strip;
    this.#width = tileWidth;
    this.#height = tileHeight;
    this.#blocks = strip.planes.map((rows) => rows[Symbol.asyncIterator]());
    this.#current = strip.planes.map(() => undefined);
  }

  /** Adds the tiles of a row that have data. */
  async take(row: number, tiles: Map<number, Sums>): Promise<void> {
    const { range } = this.#strip;
    if (row < range.firstRow || row >= range.endRow) return;
    const first = (row - range.firstRow) * this.#height;
    for (let plane = 0; plane < this.#blocks.length; plane++)
      for (let next = first; next < first + this.#height; ) {
        const block = await this.#blockAt(plane, next);
        if (block === undefined) break;
        const end = Math.min(first + this.#height, block.firstRow + block.rowCount);
        if (this.#isTile(block, first)) {
          this.#current[plane] = undefined;
          if (isEmpty(block.values)) releaseBuffer(block.values);
          else tiles.set(range.firstColumn, { planes: [block.values] });
        } else this.#cut(block, { plane, next, end, first }, tiles);
        next = end;
      }
  }

  /** Whether the rows are one tile of one plane, which need not be copied. */
  #isTile({ firstRow, rowCount, values }: ValueRows, first: number): boolean {
    const isWhole = firstRow === first && rowCount === this.#height && values.length === this.#width * this.#height;
    return isWhole && this.#blocks.length === 1;
  }

  async #blockAt(plane: number, row: number): Promise<ValueRows | undefined> {
    let block = this.#current[plane];
    while (block === undefined || block.firstRow + block.rowCount <= row) {
      if (block !== undefined) releaseBuffer(block.values);
      this.#current[plane] = undefined;
      const { done, value } = await this.#blocks[plane]!.next();
      if (done) return undefined;
      block = value;
    }
    this.#current[plane] = block;
    return block;
  }

  #cut(
    { values, firstRow, rowCount }: ValueRows,
    { plane, next, end, first }: { plane: number; next: number; end: number; first: number },
    tiles: Map<number, Sums>,
  ): void {
    const width = values.length / rowCount;
    const { firstColumn, endColumn } = this.#strip.range;
    for (let column = firstColumn; column < endColumn; column++) {
      const left = (column - firstColumn) * this.#width;
      const right = Math.min(width, left + this.#width);
      for (let row = next; row < end; row++) {
        const line = (row - firstRow) * width;
        const part = values.subarray(line + left, line + right);
        const known = tiles.get(column);
        if (known === undefined && isEmpty(part)) continue;
        const tile = known ?? this.#newTile();
        if (known === undefined) tiles.set(column, tile);
        tile.planes[plane]!.set(part, (row - first) * this.#width);
      }
    }
  }

  #newTile(): Sums {
    return { planes: this.#strip.planes.map(() => this.#pool.values(Number.NaN)) };
  }

  async close(): Promise<void> {
    for (const blocks of this.#blocks) await blocks.return?.();
    for (const block of this.#current.splice(0)) if (block !== undefined) releaseBuffer(block.values);
  }
}

function isEmpty(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i]!)) return false;
  return true;
}

/** The levels above the base: collects rows of tiles and passes on those that are complete. */
class Above {
  readonly #options: PyramidOptions;
  readonly #planes: number;
  readonly #endRow: number;
  readonly #pool: ArrayPool;
  readonly #lowest: number;
  /** The incomplete row of tiles of each level, by column. */
  readonly #rows = new Map<number, Map<number, Sums>>();

  constructor(options: PyramidOptions, planes: number, endRow: number, pool: ArrayPool) {
    this.#pool = pool;
    this.#options = options;
    this.#planes = planes;
    this.#endRow = endRow;
    this.#lowest = Math.min(options.base, ...options.levels, ...(options.sums?.levels ?? []));
  }

  async finish(level: number, row: number, tiles: Map<number, Sums>): Promise<void> {
    const { levels, sums: kept } = this.#options;
    const wanted = levels.includes(level);
    const isKept = kept?.levels.includes(level) ?? false;
    const parents = this.#rows.get(level - 1) ?? new Map<number, Sums>();
    for (const [column, sums] of [...tiles].toSorted(([one], [other]) => one - other)) {
      if (level > this.#lowest) this.#add(sums, column, row, parents);
      // Before sums become means.
      if (isKept) await kept!.take({ level, column, row, ...sums });
      if (wanted) await this.#options.emit({ level, column, row, planes: valuesOf(sums) });
      this.#pool.giveBack(sums);
    }
    if (level === this.#lowest) return;
    const last = (this.#endRow - 1) >> (this.#options.base - level) === row;
    if (row % 2 === 1 || last) {
      this.#rows.delete(level - 1);
      await this.finish(level - 1, row >> 1, parents);
    } else this.#rows.set(level - 1, parents);
  }

  #add(sums: Sums, column: number, row: number, parents: Map<number, Sums>): void {
    let parent = parents.get(column >> 1);
    if (parent === undefined) {
      parent = newSums(this.#pool, this.#planes, this.#options.method);
      parents.set(column >> 1, parent);
    }
    addTile(sums, { column, row }, parent, this.#options);
  }
}
