import { AppError } from '../../errors.ts';
import { FormatError } from '../../files/errors.ts';
import { type Draw, DrawingCancelled, type DrawParts, type DrawThreads, type TileRequest } from '../draw-threads.ts';
import { bytesOfTile, RecentlyUsed } from '../recently-used.ts';
import { SharedDrawings } from '../shared-drawings.ts';
import { movedBuffers, type VectorJob } from './vector-job.ts';

/** Bytes of tiles in the memory of this process. */
const IN_MEMORY = 64 << 20;

/** The script of the threads. */
export const VECTOR_THREAD = new URL('./vector-thread.ts', import.meta.url);

/** Where a tile came from. */
export type VectorTileOrigin = 'memory' | 'overview' | 'drawn';

export interface VectorDrawingsParts {
  readonly threads: DrawThreads;
  /** Counts a tile. */
  readonly count: (origin: VectorTileOrigin) => void;
  /** Counts a drawing. */
  readonly drawn: (outcome: 'ok' | 'cancelled' | 'error', seconds: number) => void;
}

/** Draws a tile. Undefined for a tile with nothing in it. */
export type DrawVector = (
  draw: (job: VectorJob, read?: DrawParts['read']) => Promise<Uint8Array | undefined>,
  signal: AbortSignal,
) => Promise<Uint8Array | undefined>;

export interface WantedDrawing {
  /** Finds the tile where it was stored before. */
  stored?(): Promise<Uint8Array | undefined>;
  readonly draw: DrawVector;
}

/** Vector tiles, gzipped. The last used ones are in memory, also those with nothing in them. */
export class VectorDrawings {
  readonly #parts: VectorDrawingsParts;
  readonly #memory = new RecentlyUsed<{ readonly bytes: Uint8Array | undefined }>(IN_MEMORY, bytesOfTile);
  readonly #drawings = new SharedDrawings<Uint8Array | undefined>();

  constructor(parts: VectorDrawingsParts) {
    this.#parts = parts;
  }

  /**
   * @param key of the content and all that chooses what is drawn of it
   * @param request called only if the tile is drawn
   */
  async of(key: string, request: () => TileRequest, { stored, draw }: WantedDrawing): Promise<Uint8Array | undefined> {
    const { count } = this.#parts;
    const known = this.#memory.get(key);
    if (known !== undefined) {
      count('memory');
      return known.bytes;
    }
    const { tenant, signal } = request();
    return this.#drawings.of(key, signal, async (shared) => {
      const found = await stored?.();
      count(found === undefined ? 'drawn' : 'overview');
      const bytes = found ?? (await this.anew({ tenant, signal: shared }, draw));
      this.#memory.set(key, { bytes });
      return bytes;
    });
  }

  /** Draws a tile, whether it is known or not. */
  anew(request: TileRequest, drawVector: DrawVector): Promise<Uint8Array | undefined> {
    return this.#parts.threads.use(request, (draw) => this.#draw(draw, request.signal, drawVector));
  }

  async #draw(draw: Draw, signal: AbortSignal, drawVector: DrawVector): Promise<Uint8Array | undefined> {
    const { drawn } = this.#parts;
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    try {
      const bytes = await drawVector(
        (job, read) => draw(job, { moved: movedBuffers(job), ...(read && { read }) }),
        signal,
      );
      drawn('ok', seconds());
      return bytes;
    } catch (error) {
      drawn(signal.aborted || error instanceof DrawingCancelled ? 'cancelled' : 'error', seconds());
      if (error instanceof FormatError) throw new AppError('unprocessable', error.message);
      throw error;
    }
  }
}
