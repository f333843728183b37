import { AppError } from '../../errors.ts';
import type { TileEncoder } from '../../geo/tiles/encode-tile.ts';
import { tileEncoder } from '../../geo/tiles/encode-tile.ts';
import { mercatorMatrices } from '../../geo/tiles/matrices.ts';
import { isUnzipped, rampOfDrawn, styleOf } from './describe-tiles.ts';
import type { DrawnScheme, TileSlice } from './description.ts';
import type { TilePlan } from './drawing.ts';
import { drawOne } from './drawing.ts';
import type { StoredTiles } from './stored-tiles.ts';
import type { KeptItem } from './values/open-values.ts';
import { openValues } from './values/open-values.ts';

/** Draws tiles of a scheme from the values that the writer kept, with the bytes that the writer would have written. */
export class TileDrawer {
  readonly #scheme: DrawnScheme;
  readonly #plan: TilePlan;
  readonly #item: KeptItem;
  readonly #encode: TileEncoder;

  private constructor(scheme: DrawnScheme, item: KeptItem) {
    const { base, boxes } = scheme.drawnOf!;
    this.#scheme = scheme;
    this.#item = item;
    this.#plan = {
      matrices: mercatorMatrices,
      mercator: true,
      base,
      boxes,
      levels: scheme.zoomLevels,
      onRequest: scheme.levelsOnRequest ?? [],
    };
    this.#encode = tileEncoder(styleOf(scheme, rampOfDrawn(scheme)));
  }

  /** @throws AppError if nothing of the scheme is drawn on request */
  static async open(tiles: StoredTiles, schemeId: string): Promise<TileDrawer> {
    const scheme = tiles.scheme(schemeId);
    if (scheme?.drawnOf === undefined)
      throw new AppError('notFound', `No level of scheme '${schemeId}' is drawn on request.`);
    return new TileDrawer(scheme, await openValues(tiles, scheme.drawnOf.name, scheme.drawnOf.values));
  }

  /**
   * The tile as it is stored: gzipped unless it is a picture. Undefined for a tile without data.
   * @param throwIfCancelled called between parts of the work
   */
  draw(
    slice: TileSlice,
    place: readonly [level: number, column: number, row: number],
    throwIfCancelled: () => void = () => {},
  ): Promise<Uint8Array | undefined> {
    const { aggregationMethod: method, outputType } = this.#scheme;
    const output = { encode: this.#encode, compress: !isUnzipped(outputType) };
    const item: KeptItem = {
      ...this.#item,
      planes: (...of) => this.#item.planes(...of).map((rows) => checked(rows, throwIfCancelled)),
    };
    return drawOne(this.#plan, { item, slice, method }, place, output);
  }

  close(): void {
    this.#item.close();
  }
}

async function* checked<T>(rows: AsyncIterable<T>, check: () => void): AsyncGenerator<T> {
  for await (const block of rows) {
    check();
    yield block;
  }
}
