import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pooledBytes, releaseBuffer } from '../../../data/buffer-pool.ts';
import { FormatError } from '../../../errors.ts';
import type { StoredTiles } from '../../dataset/stored-tiles.ts';
import { MERCATOR_TILE, type TileIndex } from '../../matrices.ts';
import type { Aggregation, SummedTile } from '../tile-sums.ts';
import { allEnded } from './all-ended.ts';
import { type SourceSlice, sliceValuesName } from './item-values.ts';
import { unpacked } from './unpacked.ts';

const zipped = promisify(gzip);
/**
 * Levels above the base whose sums are kept. A tile of each level in between is one of their tiles, or made of four.
 */
const KEPT_ABOVE = [2, 4];
const PIXELS = MERCATOR_TILE ** 2;

export const overviewLevels = (base: number): number[] =>
  KEPT_ABOVE.map((above) => base - above).filter((level) => level >= 0);

/**
 * The kept level that a level is drawn of: its own, or the next one. Undefined for levels that are drawn of the base.
 */
export const overviewOf = (base: number, level: number): number | undefined =>
  overviewLevels(base).find((kept) => kept === level || kept === level + 1);

/**
 * Name of the entry with the sums of a slice; those of two schemes that aggregate an item in the same way are the same.
 */
export const overviewName = (values: string, slice: SourceSlice, method: Aggregation): string =>
  `${sliceValuesName(values, slice)}-${method.toLowerCase()}`;

/**
 * The planes are read before it returns. The bytes of numbers are transposed: all first bytes, then all second ones.
 */
export async function packSums({ planes, counts = [] }: SummedTile): Promise<Uint8Array> {
  const arrays = [...planes, ...counts];
  const packed = pooledBytes(arrays.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let to = 0;
  for (const array of arrays) {
    const bytes = bytesOf(array);
    const width = array.BYTES_PER_ELEMENT;
    for (let first = 0; first < width; first++)
      for (let from = first; from < bytes.length; from += width) packed[to++] = bytes[from]!;
  }
  try {
    return await zipped(packed, { level: 1 });
  } finally {
    releaseBuffer(packed);
  }
}

function unpackSums(packed: Uint8Array, planes: number, method: Aggregation): Pick<SummedTile, 'planes' | 'counts'> {
  const size =
    PIXELS * planes * (Float64Array.BYTES_PER_ELEMENT + (method === 'Mean' ? Uint32Array.BYTES_PER_ELEMENT : 0));
  const bytes = unpacked(packed, size);
  if (bytes.length !== size)
    throw new FormatError(`An overview of the values of the tiles has ${bytes.length} bytes, not ${size}.`);
  let from = 0;
  const next = <T extends Float64Array | Uint32Array>(array: T): T => {
    const own = bytesOf(array);
    const width = array.BYTES_PER_ELEMENT;
    for (let first = 0; first < width; first++)
      for (let to = first; to < own.length; to += width) own[to] = bytes[from++]!;
    return array;
  };
  const each = <T>(make: () => T) => Array.from({ length: planes }, make);
  const sums = each(() => next(new Float64Array(PIXELS)));
  return method === 'Max' ? { planes: sums } : { planes: sums, counts: each(() => next(new Uint32Array(PIXELS))) };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Source of tiles of levels far above the base. */
export class Overviews {
  readonly #tiles: StoredTiles;
  readonly #of: { readonly name: string; readonly base: number; readonly planes: number; readonly method: Aggregation };

  constructor(
    tiles: StoredTiles,
    of: { readonly name: string; readonly base: number; readonly planes: number; readonly method: Aggregation },
  ) {
    this.#tiles = tiles;
    this.#of = of;
  }

  /**
   * The tiles with data that a tile is made of. Undefined if it is drawn of the base: so are all tiles of datasets that
   * were written before there were overviews.
   */
  async under(slice: SourceSlice, [level, column, row]: TileIndex): Promise<SummedTile[] | undefined> {
    const { name, base, planes, method } = this.#of;
    const entry = overviewName(name, slice, method);
    const kept = overviewOf(base, level);
    if (kept === undefined || !this.#tiles.has(entry)) return undefined;
    const archive = await this.#tiles.archive(entry);
    const places =
      kept === level
        ? [{ column, row }]
        : [0, 1, 2, 3].map((n) => ({ column: 2 * column + (n & 1), row: 2 * row + (n >> 1) }));
    const found = await allEnded(
      places.map(async (place) => ({ place, stored: await archive.tile(kept, place.column, place.row) })),
    );
    return found.flatMap(({ place, stored }) =>
      stored === undefined ? [] : [{ level: kept, ...place, ...unpackSums(stored.bytes, planes, method) }],
    );
  }
}
