import { grown } from '../../../data/number-list.ts';
import type { Context } from '../../../formats/define.ts';
import { OrderedSpool } from '../../../formats/io/ordered-spool.ts';
import { tileIdOf } from '../../../formats/io/pmtiles/tile-ids.ts';
import type { TileNumber } from '../vector-tile.ts';

/** Tiles in a temporary file, to be read in the order of their ids in PMTiles. */
export class TileSpool {
  readonly #spool: OrderedSpool;
  /** Level, column and row of each tile. */
  #places = new Uint32Array(3 << 10);

  private constructor(spool: OrderedSpool) {
    this.#spool = spool;
  }

  static async create(context: Context): Promise<TileSpool> {
    return new TileSpool(await OrderedSpool.create(context));
  }

  async add({ level, column, row }: TileNumber, bytes: Uint8Array): Promise<void> {
    const n = 3 * this.#spool.length;
    if (n === this.#places.length) this.#places = grown(this.#places);
    this.#places.set([level, column, row], n);
    this.#spool.out.raw(bytes);
    this.#spool.add(bytes.length);
    await this.#spool.out.drain();
  }

  async *ordered(): AsyncGenerator<TileNumber & { bytes: Uint8Array }> {
    const place = (n: number) => this.#places.subarray(3 * n, 3 * n + 3) as unknown as [number, number, number];
    const ids = Float64Array.from({ length: this.#spool.length }, (_, n) => tileIdOf(...place(n)));
    const order = Uint32Array.from(ids, (_, n) => n).sort((one, other) => ids[one]! - ids[other]!);
    const { sizes } = this.#spool;
    for await (const { bytes, first, count } of this.#spool.ordered(order))
      for (let n = first, at = 0; n < first + count; n++) {
        const [level, column, row] = place(order[n]!);
        const size = sizes[order[n]!]!;
        yield { level, column, row, bytes: bytes.subarray(at, at + size) };
        at += size;
      }
  }
}
