import type { MapNet, TilingScheme } from './answers.ts';
import { type Api, isAbort } from './api.ts';

export interface Slice {
  readonly step: number;
  readonly layer: number;
}

const MOST_BYTES = 64 * 2 ** 20;
/** Rights and contents may change: older tiles are asked for again, which mostly is a 304. */
const LIFETIME_MS = 60_000;

type TileIndex = readonly [level: number, column: number, row: number];
/** A screen full of tiles. */
const MOST_PREFETCHED = 60;

interface Kept {
  readonly bytes: Promise<ArrayBuffer>;
  readonly at: number;
  size: number;
}

/** Tiles of a dataset, in memory for a minute: a time slider asks for the same ones again and again. */
export class TileStore {
  readonly #api: Api;
  readonly #base: string;
  readonly #single: boolean;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  /** The places of the tiles of the slice that was asked for last. */
  #last: { of: string; places: Map<string, TileIndex> } = { of: '', places: new Map() };

  /** @param single the dataset has one step and one layer */
  constructor(api: Api, datasetId: string, single: boolean) {
    this.#api = api;
    this.#base = `api/tiles/dataset/${datasetId}/scheme`;
    this.#single = single;
  }

  async tile(
    { schemeId }: Pick<TilingScheme, 'schemeId'>,
    { step, layer }: Slice,
    place: TileIndex,
    signal?: AbortSignal,
  ): Promise<ArrayBuffer> {
    const of = `${schemeId} ${step} ${layer}`;
    if (this.#last.of !== of) this.#last = { of, places: new Map() };
    this.#last.places.set(place.join(), place);
    return this.#read(schemeId, { step, layer }, place, signal);
  }

  /** Net of points of a map tile, in the coordinate system of a scheme. */
  async net({ schemeId }: Pick<TilingScheme, 'schemeId'>, place: TileIndex, signal?: AbortSignal): Promise<MapNet> {
    const path = `${this.#base}/${encodeURIComponent(schemeId)}/net/${place.join('/')}`;
    return JSON.parse(new TextDecoder().decode(await this.#get(path, signal))) as MapNet;
  }

  /** Reads the tiles of another slice at the places of the one before, so that the next step is there in time. */
  prefetch({ schemeId }: Pick<TilingScheme, 'schemeId'>, slice: Slice): void {
    if (!this.#last.of.startsWith(`${schemeId} `)) return;
    for (const place of [...this.#last.places.values()].slice(-MOST_PREFETCHED))
      this.#read(schemeId, slice, place).catch(() => {});
  }

  async #read(
    schemeId: string,
    { step, layer }: Slice,
    [level, column, row]: TileIndex,
    signal?: AbortSignal,
  ): Promise<ArrayBuffer> {
    const slice = this.#single ? '' : `?timeStep=${step}&layer=${layer}`;
    const path = `${this.#base}/${encodeURIComponent(schemeId)}/${level}/${row}/${column}${slice}`;
    try {
      return await this.#get(path, signal);
    } catch (error) {
      // the requester that began this load may have aborted it: loads again
      if (isAbort(error) && !signal?.aborted) return this.#get(path, signal);
      throw error;
    }
  }

  #get(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
    const found = this.#kept.get(path);
    if (found !== undefined && Date.now() - found.at < LIFETIME_MS) return found.bytes;
    if (found !== undefined) this.#forget(path, found);
    const kept: Kept = { bytes: this.#load(path, signal), at: Date.now(), size: 0 };
    this.#kept.set(path, kept);
    kept.bytes.then(
      ({ byteLength }) => this.#count(kept, byteLength),
      () => this.#forget(path, kept),
    );
    return kept.bytes;
  }

  async #load(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
    const answer = await this.#api.get(path, signal && { signal });
    return answer.arrayBuffer();
  }

  #count(kept: Kept, size: number): void {
    kept.size = size;
    this.#bytes += size;
    for (const [path, oldest] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#forget(path, oldest);
    }
  }

  #forget(path: string, kept: Kept): void {
    if (this.#kept.get(path) !== kept) return;
    this.#kept.delete(path);
    this.#bytes -= kept.size;
  }
}
