import type { PreviewSource } from '../../client/preview.ts';

/** What of a dataset is drawn. */
export interface Slice {
  readonly item: string;
  readonly step: number;
  readonly layer: number;
}

export type TilePlace = readonly [zoom: number, column: number, row: number];

/** Tiles in memory, at most a megabyte each. */
const MOST = 160;

export const queryOf = ({ item, step, layer }: Slice) => ({ item, step: String(step), layer: String(layer) });

/** Tiles of values of a dataset: the last ones stay in memory, so that other colours need no request. */
export class ValueTiles {
  readonly #source: PreviewSource;
  readonly #tiles = new Map<string, Float32Array | undefined>();
  /** Places that the view has asked for since it moved, for the step that is played next. */
  readonly #places = new Map<string, TilePlace>();
  readonly #scale = window.devicePixelRatio > 1.5 ? '@2x' : '';

  constructor(source: PreviewSource) {
    this.#source = source;
  }

  /** Undefined for a tile without data. */
  async load(place: TilePlace, slice: Slice, signal: AbortSignal): Promise<Float32Array | undefined> {
    const key = `${place.join('/')} ${slice.item} ${slice.step} ${slice.layer}`;
    this.#places.set(place.join('/'), place);
    if (this.#tiles.has(key)) {
      const known = this.#tiles.get(key);
      this.#tiles.delete(key);
      this.#tiles.set(key, known);
      return known;
    }
    const [zoom, column, row] = place;
    const answer = await this.#source.tile(zoom, column, `${row}${this.#scale}.values`, queryOf(slice), signal);
    const values = answer === undefined ? undefined : new Float32Array(await answer.arrayBuffer());
    this.#tiles.set(key, values);
    for (const oldest of this.#tiles.keys()) {
      if (this.#tiles.size <= MOST) break;
      this.#tiles.delete(oldest);
    }
    return values;
  }

  /** The view has moved: other tiles are in it. */
  forgetPlaces(): void {
    this.#places.clear();
  }

  /** Loads the tiles of the view for another step. One that fails is asked for again when it is shown. */
  async prefetch(slice: Slice, signal: AbortSignal): Promise<void> {
    await Promise.allSettled([...this.#places.values()].map((place) => this.load(place, slice, signal)));
  }

  /** The value at a place of the map, of tiles of a level; undefined where there are no data. */
  async valueAt(
    [longitude, latitude]: readonly [number, number],
    zoom: number,
    slice: Slice,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const tiles = 2 ** zoom;
    const x = (((((longitude + 180) / 360) % 1) + 1) % 1) * tiles;
    const y = ((1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2) * tiles;
    if (!(y >= 0 && y < tiles)) return undefined;
    const values = await this.load([zoom, Math.floor(x), Math.floor(y)], slice, signal);
    if (values === undefined) return undefined;
    const side = Math.sqrt(values.length);
    const value = values[Math.floor((y % 1) * side) * side + Math.floor((x % 1) * side)]!;
    return Number.isNaN(value) ? undefined : value;
  }
}
