import {
  type DrawnScheme,
  findProblem,
  isUnzipped,
  type StoredTile,
  type TileIndex,
  type TileSlice,
} from 'hydrofiles/tiles';
import type { TileRequest } from './draw-threads.ts';
import { rasterDrawing } from './raster/raster-tiles.ts';
import type { ServedTiles, TileParts } from './serve.ts';
import { findTile } from './store/tile-store.queries.ts';

/** Result of a check of randomly chosen tiles. */
export interface TileCheck {
  /** Tiles with data. */
  checked: number;
  /** Number of checked tiles that were redrawn, because their level is drawn on request. */
  drawnAnew: number;
  /** Places without data that were looked at. */
  checkedEmpty: number;
  wrong: { schemeId: string; tile: string; timeStep: number; layer: number; reason: string }[];
}

/** Looks at `count` tiles with data, and at as many places without. */
export async function checkTiles(
  parts: TileParts,
  served: ServedTiles,
  count: number,
  request: TileRequest,
): Promise<TileCheck> {
  const { description } = served.tiles;
  const result: TileCheck = { checked: 0, drawnAnew: 0, checkedEmpty: 0, wrong: [] };
  for (let n = 0; n < count; n++) {
    request.signal.throwIfAborted();
    const scheme = pickOne(description.tilingSchemes);
    const slice: TileSlice = {
      step: below(Math.max(1, description.timeStamps.length)),
      layer: below(Math.max(1, description.layerIds.length)),
    };
    const report = (place: TileIndex, reason: string | undefined) => {
      if (reason === undefined) return;
      const { schemeId } = scheme;
      result.wrong.push({ schemeId, tile: placeText(place), timeStep: slice.step, layer: slice.layer, reason });
    };
    const one = new Checker(parts, served, { scheme, slice, request });
    const full = await one.placeWithData();
    if (full !== undefined) {
      report(full, await one.findProblem(full));
      result.checked++;
      if (one.isOnRequest(full)) result.drawnAnew++;
    }
    const empty = await one.placeWithoutData();
    if (empty !== undefined) {
      report(empty, await one.problemOfEmpty(empty));
      result.checkedEmpty++;
    }
  }
  return result;
}

const below = (end: number): number => Math.floor(Math.random() * end);
const pickOne = <T>(list: readonly T[]): T => list[below(list.length)]!;
/** Level, row and column, as in addresses. */
const placeText = ([level, column, row]: TileIndex): string => `${level}/${row}/${column}`;

class Checker {
  readonly #parts: TileParts;
  readonly #served: ServedTiles;
  readonly #of: { readonly scheme: DrawnScheme; readonly slice: TileSlice; readonly request: TileRequest };

  constructor(
    parts: TileParts,
    served: ServedTiles,
    of: { readonly scheme: DrawnScheme; readonly slice: TileSlice; readonly request: TileRequest },
  ) {
    this.#parts = parts;
    this.#served = served;
    this.#of = of;
  }

  isOnRequest([level]: TileIndex): boolean {
    return this.#of.scheme.levelsOnRequest?.includes(level) ?? false;
  }

  async placeWithData(): Promise<TileIndex | undefined> {
    const { scheme, slice } = this.#of;
    const limits = await this.#served.tiles.limits(scheme.schemeId, slice);
    if (limits.length === 0) return undefined;
    const { tileMatrix, minTileRow, maxTileRow, minTileCol, maxTileCol } = pickOne(limits);
    const [column, row] = [below(maxTileCol - minTileCol + 1), below(maxTileRow - minTileRow + 1)];
    return [Number(tileMatrix), minTileCol + column, minTileRow + row];
  }

  async placeWithoutData(): Promise<TileIndex | undefined> {
    const { scheme, slice } = this.#of;
    const n = below(scheme.zoomLevels.length);
    const place: TileIndex = [scheme.zoomLevels[n]!, below(scheme.matrixWidths[n]!), below(scheme.matrixHeights[n]!)];
    return (await this.#served.tiles.hasData(scheme.schemeId, slice, place)) ? undefined : place;
  }

  async findProblem(place: TileIndex): Promise<string | undefined> {
    const { tile, stored } = await this.#tile(place);
    if (tile === undefined)
      return this.#mayBeEmpty(place) ? undefined : 'The availability has it, but there is no tile.';
    if (stored !== undefined && !Buffer.from(tile.bytes).equals(stored))
      return 'The kept tile differs from a new drawing.';
    return findProblem(tile, this.#of.scheme);
  }

  /** At the edge of the data the availability can hold tiles without data of the deepest levels. */
  #mayBeEmpty(place: TileIndex): boolean {
    return this.isOnRequest(place) && place[0] >= this.#of.scheme.drawnOf!.base;
  }

  async problemOfEmpty(place: TileIndex): Promise<string | undefined> {
    const { tile } = await this.#tile(place);
    return tile === undefined ? undefined : 'There is a tile, but the availability does not have it.';
  }

  async #tile(place: TileIndex): Promise<{ tile: StoredTile | undefined; stored: Buffer | undefined }> {
    const { scheme, slice, request } = this.#of;
    const { tiles, dataset } = this.#served;
    if (!this.isOnRequest(place)) return { tile: await tiles.tile(scheme.schemeId, slice, place), stored: undefined };
    const drawing = rasterDrawing(dataset, tiles, { scheme, slice, index: place });
    const { bytes } = await this.#parts.store.draw(drawing, request);
    const stored = await findTile(this.#parts.db, drawing.key);
    return { tile: bytes && { bytes, gzip: !isUnzipped(scheme.outputType) }, stored: stored?.bytes };
  }
}
