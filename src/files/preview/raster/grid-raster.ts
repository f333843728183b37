import { cellSize, type Grid, layersOf, type RandomGrid, type Slice } from '../../data/grid.ts';
import { ConversionError } from '../../errors.ts';
import { describeCrs, type KnownCrs } from '../../geo/crs/crs.ts';
import { currentThread } from '../../geo/warp/warp-threads.ts';
import type { Lattice } from '../../tiles/matrices.ts';
import { colourPlanes, type Plane } from '../../tiles/raster/colour-planes.ts';
import { GridPixels, mercator, placeOfGrid } from '../../tiles/raster/grid-pixels.ts';
import type { ValueRows } from '../../tiles/raster/pyramid.ts';
import type { SourceSlice } from '../../tiles/raster/values/item-values.ts';
import { partOf } from '../../tiles/raster/values/open-values.ts';
import { mercatorBoxes } from '../../tiles/web-mercator.ts';
import { baseLevel } from './base-level.ts';
import { gridCells } from './grid-cells.ts';
import { GridLevels, MOST_CELLS } from './grid-levels.ts';
import type { CellWindow } from './level-cells.ts';
import type { Raster } from './raster.ts';

/** Cells that the ranges of values are found in, if an overview has as many. */
const SAMPLED_CELLS = 1 << 18;

/**
 * @param overviews the same grid with fewer cells
 * @throws ConversionError for a grid without a place on the earth
 */
export async function gridRaster(grid: Grid, overviews: readonly Grid[] = []): Promise<Raster> {
  if (grid.located === false)
    throw new ConversionError('The raster is not georeferenced, so it has no place on a map.');
  if (grid.places !== undefined)
    throw new ConversionError('The cells lie along a line, which covers no area on a map.');
  if (grid.crs === undefined)
    throw new ConversionError('The grid has no coordinate system, so its place on a map is not known.');
  const crs = await describeCrs(grid.crs);
  const { extent, mercatorCell } = await placeOfGrid(grid, crs);
  const boxes = mercatorBoxes(extent);
  if (boxes.length === 0) throw new ConversionError('The grid lies beyond the map, which ends at 85.06° latitude.');
  const colours = colourPlanes(grid.bands);
  const planes = [...grid.bands.map((_, band): Plane => ({ band })), ...(colours ?? [])];
  const together = colours?.length ?? 1;
  const sources = [grid, ...overviews]
    .map((one) => new Source(one, planes, { crs, cell: (mercatorCell * cellSize(one)) / cellSize(grid), together }))
    .toSorted((one, other) => one.cell - other.cell);
  const sampled = sources.findLast(({ cells }) => cells >= SAMPLED_CELLS) ?? sources[0]!;
  const { layers } = grid;
  return {
    base: baseLevel(mercatorCell),
    cell: mercatorCell,
    // The cells of coarser levels are means themselves.
    levelsBelow: 1,
    extent,
    boxes,
    coarsest: Math.min(...sources.map(({ cells }) => cells)),
    layers: layersOf(grid),
    ...(layers && {
      layerHeights: Array.from({ length: layers.count }, (_, k) => layers.first + k * layers.spacing),
    }),
    hasColours: colours !== undefined,
    hasValues: () => true,
    async planes(lattice, { item, ...slice }, check) {
      const source = sourceFor(sources, lattice);
      const numbers = item === 'colours' ? colours!.map((_, n) => grid.bands.length + n) : [item];
      return Promise.all(numbers.map((number) => source.rows(number, lattice, slice, check)));
    },
    sample: (item, slice) => sampled.sample(item, slice),
    async cellsWithin(tile, { item, ...slice }, check) {
      return gridCells(grid, crs, tile, (window) => sources[0]!.valuesIn(item ?? 0, slice, window, check));
    },
    close() {
      for (const source of sources) source.close();
    },
  };
}

/** A tile of 256 pixels is drawn of so many of the next level. */
const TILE_PIXELS = 512;

/**
 * The source with the fewest cells that has one for each pixel. If a tile would read more than are held in memory, the
 * next coarser one: its cells are larger than the pixels, and read in a second.
 */
function sourceFor(sources: readonly Source[], { size }: Lattice): Source {
  const fine = sources.findLastIndex(({ cell }) => cell <= size * (1 + 1e-6));
  const isShort = ({ cell }: Source) => ((TILE_PIXELS * size) / cell) ** 2 <= MOST_CELLS;
  return sources.find((one, n) => n >= fine && isShort(one)) ?? sources.at(-1)!;
}

/** A grid, or its overview. */
class Source {
  readonly #planes: readonly Plane[];
  readonly #crs: KnownCrs;
  readonly #levels: GridLevels;
  /** Pixels of each level, of classes and others. */
  readonly #pixels = new Map<string, Promise<GridPixels>>();
  /** Side of the cells in Web Mercator. */
  readonly cell: number;
  readonly cells: number;
  readonly #width: number;
  readonly #height: number;
  #check: () => void = () => {};

  constructor(
    grid: Grid,
    planes: readonly Plane[],
    { crs, cell, together }: { crs: KnownCrs; cell: number; together: number },
  ) {
    this.#planes = planes;
    this.#crs = crs;
    this.cell = cell;
    this.#width = grid.width;
    this.#height = grid.height;
    this.cells = grid.width * grid.height;
    this.#levels = new GridLevels(grid, together);
  }

  async rows(
    plane: number,
    lattice: Lattice,
    slice: SourceSlice,
    check: () => void,
  ): Promise<AsyncIterable<ValueRows>> {
    this.#check = check;
    const level = this.#levelFor(lattice.size);
    const { band, whole } = this.#planes[plane]!;
    const pixels = await this.#pixelsOf(level, whole ?? (await this.#levels.hasClasses(band, slice, check)));
    const part = partOf(this.#levels.geometry(level), pixels.cellsOf(lattice));
    return pixels.rows(
      lattice,
      { band: plane, ...slice },
      part && {
        ...part,
        read: (of, firstRow, rowCount) => this.#read(level, of, { ...part, firstRow, rowCount }),
      },
    );
  }

  async sample(item: number, slice: SourceSlice): Promise<Float32Array> {
    const of = { ...slice, plane: this.#planes[item]!, key: String(item), level: 0 };
    return this.#levels.isWhole ? this.#levels.whole(of, () => {}) : this.#levels.sample(of);
  }

  /** Values of some cells of the grid itself. */
  valuesIn(item: number, slice: SourceSlice, window: CellWindow, check: () => void): Promise<Float32Array> {
    const of = { ...slice, plane: this.#planes[item]!, key: String(item), level: 0 };
    return this.#levels.read(of, window, check);
  }

  close(): void {
    this.#levels.close();
    for (const pixels of this.#pixels.values())
      pixels.then(
        (one) => one.close(),
        () => {},
      );
  }

  /** The level whose cells are as large as the pixels, or smaller. */
  #levelFor(size: number): number {
    const most = Math.floor(Math.log2(Math.max(1, Math.min(this.#width, this.#height))));
    return Math.min(most, Math.max(0, Math.floor(Math.log2(size / this.cell) + 1e-6)));
  }

  #read(
    level: number,
    { band, step, layer }: Slice,
    { left, width, firstRow, rowCount }: { left: number; width: number; firstRow: number; rowCount: number },
  ): Promise<Float32Array> {
    const of = { plane: this.#planes[band]!, key: String(band), level, step, layer };
    return this.#levels.read(of, { left, width, firstRow, rowCount }, this.#check);
  }

  #pixelsOf(level: number, whole: boolean): Promise<GridPixels> {
    const key = `${level} ${whole}`;
    const known = this.#pixels.get(key);
    if (known !== undefined) return known;
    const made = GridPixels.create(this.#levelGrid(level), {
      to: mercator,
      crs: this.#crs,
      whole,
      threads: currentThread,
    });
    this.#pixels.set(key, made);
    return made;
  }

  #levelGrid(level: number): RandomGrid {
    const geometry = this.#levels.geometry(level);
    const { width, height } = geometry;
    const read = (slice: Slice, firstRow: number, rowCount: number) =>
      this.#read(level, slice, { left: 0, width, firstRow, rowCount });
    return {
      kind: 'grid',
      ...geometry,
      crs: this.#crs,
      bands: [{ type: 'Float32', nodata: Number.NaN }],
      async *rows(slice) {
        yield { firstRow: 0, rowCount: height, samples: await read(slice, 0, height) };
      },
      read,
    };
  }
}
