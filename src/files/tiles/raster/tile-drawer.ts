import { ConversionError } from '../../errors.ts';
import { isUnzipped, rampOfDrawn, styleOf } from '../dataset/describe-tiles.ts';
import type { DrawnScheme, TileSlice } from '../dataset/description.ts';
import type { StoredTiles } from '../dataset/stored-tiles.ts';
import { mercatorMatrices, type TileIndex } from '../matrices.ts';
import { drawOne, encodedTile, type TilePlan } from './drawing.ts';
import { type TileEncoder, tileEncoder } from './encode-tile.ts';
import { drawOfSums } from './tile-sums.ts';
import { type KeptItem, openValues } from './values/open-values.ts';
import { Overviews } from './values/overviews.ts';

/** Draws tiles of a scheme from the values that the writer kept, with the bytes that the writer would have written. */
export class TileDrawer {
  readonly #scheme: DrawnScheme;
  readonly #plan: TilePlan;
  readonly #item: KeptItem;
  readonly #overviews: Overviews;
  readonly #encode: TileEncoder;

  private constructor(scheme: DrawnScheme, item: KeptItem, tiles: StoredTiles) {
    const { base, boxes, name, values } = scheme.drawnOf!;
    this.#scheme = scheme;
    this.#item = item;
    const planes = values.kind === 'grid' ? values.planes.length : 1;
    this.#overviews = new Overviews(tiles, { name, base, planes, method: scheme.aggregationMethod });
    this.#plan = {
      matrices: mercatorMatrices,
      mercator: true,
      base,
      boxes,
      levels: scheme.zoomLevels,
      onRequest: scheme.levelsOnRequest ?? [],
    };
    this.#encode = tileEncoder(styleOf(scheme, rampOfDrawn(scheme)), 'thread');
  }

  /** @throws ConversionError if nothing of the scheme is drawn on request */
  static async open(tiles: StoredTiles, schemeId: string): Promise<TileDrawer> {
    const scheme = tiles.scheme(schemeId);
    if (scheme?.drawnOf === undefined)
      throw new ConversionError(`No level of scheme '${schemeId}' is drawn on request.`);
    return new TileDrawer(scheme, await openValues(tiles, scheme.drawnOf.name, scheme.drawnOf.values), tiles);
  }

  /**
   * The tile as it is stored: gzipped unless it is a picture. Undefined for a tile without data.
   * @param throwIfCancelled called between parts of the work
   */
  async draw(
    slice: TileSlice,
    place: TileIndex,
    throwIfCancelled: () => void = () => {},
  ): Promise<Uint8Array | undefined> {
    const { aggregationMethod: method, outputType } = this.#scheme;
    const output = { encode: this.#encode, compress: !isUnzipped(outputType) };
    const under = await this.#overviews.under(slice, place);
    if (under !== undefined) {
      throwIfCancelled();
      const planes = drawOfSums(place[0], under, mercatorMatrices);
      return planes && encodedTile(output, planes);
    }
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
