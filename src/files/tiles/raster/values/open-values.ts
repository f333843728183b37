import { LRUCache } from 'lru-cache';
import { pooledSamples } from '../../../data/buffer-pool.ts';
import type { RandomGrid, RowBlock, Slice } from '../../../data/grid.ts';
import { loadOnce } from '../../../data/load-once.ts';
import { sampleArrays } from '../../../data/samples.ts';
import { FormatError } from '../../../errors.ts';
import { describeCrs } from '../../../geo/crs/crs.ts';
import { currentThread } from '../../../geo/warp/warp-threads.ts';
import type { StoredTiles } from '../../dataset/stored-tiles.ts';
import type { Lattice } from '../../matrices.ts';
import { GridPixels, mercator, type SourceCells } from '../grid-pixels.ts';
import { meshRows } from '../mesh-pixels.ts';
import type { OpenItem } from '../tile-source.ts';
import { allEnded } from './all-ended.ts';
import { CHUNK, chunkLevel } from './grid-values.ts';
import {
  type GridValuesDescription,
  type MeshValuesDescription,
  type SourceSlice,
  sliceValuesName,
  type ValuesDescription,
} from './item-values.ts';
import { readElements, readValues } from './mesh-values.ts';
import { unpacked } from './unpacked.ts';

/** Kept values of an item, ready to be drawn in Web Mercator. */
export interface KeptItem extends Pick<OpenItem, 'planes'> {
  close(): void;
}

export async function openValues(tiles: StoredTiles, name: string, values: ValuesDescription): Promise<KeptItem> {
  return values.kind === 'grid' ? openGrid(tiles, name, values) : openMesh(tiles, name, values);
}

function openMesh(tiles: StoredTiles, name: string, { at }: MeshValuesDescription): KeptItem {
  const read = (entry: string) => tiles.entry(entry);
  let elements: { layer: number; read: ReturnType<typeof readElements> } | undefined;
  let values: { key: string; read: ReturnType<typeof readValues> } | undefined;
  async function* rows(lattice: Lattice, slice: SourceSlice) {
    const key = `${slice.step} ${slice.layer}`;
    if (elements?.layer !== slice.layer) elements = { layer: slice.layer, read: readElements(read, slice.layer) };
    if (values?.key !== key) values = { key, read: readValues(read, name, slice) };
    try {
      yield* meshRows(await elements.read, { at, of: await values.read }, lattice, true);
    } catch (error) {
      elements = values = undefined;
      throw error;
    }
  }
  return { planes: (lattice, _mercator, slice) => [rows(lattice, slice)], close() {} };
}

async function openGrid(tiles: StoredTiles, name: string, grid: GridValuesDescription): Promise<KeptItem> {
  const chunks = new Chunks(tiles, name, grid);
  const crs = await describeCrs(grid.crs);
  const opened: { readonly plane: number; readonly pixels: GridPixels }[] = [];
  for (const [plane, { whole }] of grid.planes.entries()) {
    const options = { to: mercator, crs, whole, threads: currentThread };
    opened.push({ plane, pixels: await GridPixels.create(wholePlane(grid, chunks, plane), options) });
  }
  return {
    planes: (lattice, _mercator, slice) =>
      opened.map(({ plane, pixels }) => {
        const part = partOf(grid, pixels.cellsOf(lattice));
        const read = ({ step, layer }: Slice, firstRow: number, rowCount: number) =>
          readColumns(grid, chunks, { plane, ...part!, firstRow, rowCount }, { step, layer });
        return pixels.rows(lattice, { band: 0, ...slice }, part && { ...part, read });
      }),
    close() {
      chunks.close();
      for (const { pixels } of opened) pixels.close();
    },
  };
}

/**
 * The columns of cells, and the number of their rows. Undefined if some pixels have no cell: then all may be needed.
 */
export function partOf(
  { width, height }: Pick<GridValuesDescription, 'width' | 'height'>,
  { left, right, top, bottom }: SourceCells,
) {
  const first = Math.min(width - 1, Math.max(0, Math.floor(left)));
  const end = Math.max(first + 1, Math.min(width, Math.ceil(right)));
  const rows = Math.max(1, Math.min(height, Math.ceil(bottom - top)));
  return Number.isFinite(left + right + top + bottom) ? { left: first, width: end - first, rows } : undefined;
}

function wholePlane(grid: GridValuesDescription, chunks: Chunks, plane: number): RandomGrid {
  const { width, height, affine, crs, planes } = grid;
  const { type } = planes[plane]!;
  const read = ({ step, layer }: Slice, firstRow: number, rowCount: number) =>
    readColumns(grid, chunks, { plane, left: 0, width, firstRow, rowCount }, { step, layer });
  async function* rows(slice: Slice): AsyncGenerator<RowBlock> {
    yield { firstRow: 0, rowCount: height, samples: await read(slice, 0, height) };
  }
  return { kind: 'grid', width, height, affine, crs, bands: [{ type, nodata: Number.NaN }], rows, read };
}

/** Chunks that are unpacked at the same time: a row of a wide grid has too many for the memory. */
const CHUNKS_AT_ONCE = 64;

interface Cells {
  readonly plane: number;
  /** The first column, and the number of columns. */
  readonly left: number;
  readonly width: number;
  readonly firstRow: number;
  readonly rowCount: number;
}

/** Cells of a plane; those without data are NaN. */
async function readColumns(
  { width, planes }: GridValuesDescription,
  chunks: Chunks,
  { plane, left, width: stride, firstRow, rowCount }: Cells,
  slice: SourceSlice,
) {
  const end = left + stride;
  const samples = pooledSamples(planes[plane]!.type, rowCount * stride).fill(Number.NaN);
  const places: { r: number; c: number }[] = [];
  for (let r = Math.floor(firstRow / CHUNK); r * CHUNK < firstRow + rowCount; r++)
    for (let c = Math.floor(left / CHUNK); c * CHUNK < end; c++) places.push({ r, c });
  for (let at = 0; at < places.length; at += CHUNKS_AT_ONCE) {
    const some = places.slice(at, at + CHUNKS_AT_ONCE);
    const read = await allEnded(some.map(({ r, c }) => chunks.of(slice, c, r)));
    for (const [n, { r, c }] of some.entries()) {
      const chunk = read[n];
      if (chunk === undefined) continue;
      const columns = Math.min(CHUNK, width - c * CHUNK);
      const first = Math.max(left, c * CHUNK);
      const last = Math.min(end, c * CHUNK + columns);
      const endRow = Math.min(firstRow + rowCount, (r + 1) * CHUNK);
      for (let row = Math.max(firstRow, r * CHUNK); row < endRow; row++) {
        const from = (row - r * CHUNK) * columns - c * CHUNK;
        samples.set(chunk[plane]!.subarray(from + first, from + last), (row - firstRow) * stride + first - left);
      }
    }
  }
  return samples;
}

type Chunk = readonly (Float32Array | Float64Array)[];

/** Bytes of a cached chunk besides its values. */
const entryBytes = 200;
/** The last used chunks of all items that are open in this thread. */
const recent = new LRUCache<string, Promise<Chunk | undefined>>({ maxSize: 128 << 20 });
let items = 0;

/** Chunks of all planes. */
class Chunks {
  /** Prefix of the item's keys in the cache. */
  readonly #prefix = `${items++} `;
  readonly #tiles: StoredTiles;
  readonly #name: string;
  readonly #grid: GridValuesDescription;
  readonly #level: number;

  constructor(tiles: StoredTiles, name: string, grid: GridValuesDescription) {
    this.#tiles = tiles;
    this.#name = name;
    this.#grid = grid;
    this.#level = chunkLevel(grid);
  }

  get #bytesPerCell(): number {
    return this.#grid.planes.reduce((sum, { type }) => sum + sampleArrays[type].BYTES_PER_ELEMENT, 0);
  }

  /** Undefined for a chunk without a value. */
  of(slice: SourceSlice, column: number, row: number): Promise<Chunk | undefined> {
    const key = `${this.#prefix}${slice.step} ${slice.layer} ${column} ${row}`;
    return loadOnce(recent, key, () => this.#read(slice, column, row), sizeOf);
  }

  close(): void {
    for (const key of recent.keys()) if (key.startsWith(this.#prefix)) recent.delete(key);
  }

  async #read(slice: SourceSlice, column: number, row: number): Promise<Chunk | undefined> {
    const { width, height, planes } = this.#grid;
    const archive = await this.#tiles.archive(sliceValuesName(this.#name, slice));
    const stored = await archive.tile(this.#level, column, row);
    if (stored === undefined) return undefined;
    const cells = Math.min(CHUNK, width - column * CHUNK) * Math.min(CHUNK, height - row * CHUNK);
    const size = cells * this.#bytesPerCell;
    const bytes = unpacked(stored.bytes, size);
    if (bytes.length !== size)
      throw new FormatError(`A chunk of the values of the tiles has ${bytes.length} bytes, not ${size}.`);
    let at = 0;
    return planes.map(({ type }) => {
      // A copy, which begins at a multiple of eight bytes.
      const part = new Uint8Array(cells * sampleArrays[type].BYTES_PER_ELEMENT);
      part.set(bytes.subarray(at, at + part.length));
      at += part.length;
      return type === 'Float32' ? new Float32Array(part.buffer) : new Float64Array(part.buffer);
    });
  }
}

const sizeOf = (chunk: Chunk | undefined): number =>
  chunk?.reduce((sum, { byteLength }) => sum + byteLength, entryBytes) ?? entryBytes;
