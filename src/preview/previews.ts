import { setTimeout as sleep } from 'node:timers/promises';
import { ConversionError, FormatError, NEEDS_STORE, RequestError } from 'hydrofiles/errors';
import type { PreviewDescription, Reading } from 'hydrofiles/preview';
import type { StoredTiles } from 'hydrofiles/tiles';
import { LRUCache } from 'lru-cache';
import { BlobSources, type OpenBlob } from '../blobs/blob-source.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import { OpenBlobs } from '../blobs/open-blobs.ts';
import type { ServedDataset } from '../datasets/served.queries.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import { writeSeriesFile } from '../series/to-file.ts';
import type { TileRequest } from '../tiles/draw-threads.ts';
import type { PreviewFile, PreviewTask } from '../tiles/raster/preview-drawer.ts';
import { SharedDrawings } from '../tiles/shared-drawings.ts';
import type { TileDrawing } from '../tiles/store/tile-store.ts';
import type { TileServices } from '../tiles/tile-services.ts';
import { type Access, accessOf, contentOf, type PreviewContent } from './content.ts';
import { type DrawableContent, type MissingOverview, type PreviewState, withOverview } from './drawable-content.ts';
import {
  findPreview,
  forgetFailure,
  forgetStore,
  isBeingMade,
  markUnreadable,
  noteUse,
  requestStore,
} from './previews.queries.ts';
import type { ScratchFiles } from './scratch-files.ts';
import { describeTiles } from './stored-tiles.ts';

/** Blobs that stay open to be read by ranges. */
const MOST_OPEN = 200;
/** Characters of descriptions in memory. */
const MOST_TEXT = 16 << 20;
/** Contents of which is known how they are read. */
const MOST_READINGS = 10_000;
/** Features that a thread indexes; of more there is a store with an index. */
const MOST_INDEXED = 200_000;
/** How often a request that waits for a store looks. */
const LOOK_AGAIN_MS = 250;

export interface PreviewParts {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly drawn: TileServices;
  readonly scratch: ScratchFiles;
  /** Setting `preview.directSize`. */
  readonly directBytes: number;
  /** Setting `preview.overviewCells`. */
  readonly overviewCells: number;
}

/** Readers of stores by their formats. */
const STORE_READERS = { md: 'MDReader', gis: 'GISReader', ts: 'TSReader' } as const;

/** Previews of datasets: what they are drawn of, and the drawing in the threads of tiles. */
export class Previews {
  readonly #parts: PreviewParts;
  readonly #sources: OpenBlobs<OpenBlob>;
  readonly #descriptions = new LRUCache<string, PreviewDescription>({ maxSize: MOST_TEXT, sizeCalculation: sizeOf });
  readonly #accesses = new LRUCache<string, Access>({ max: MOST_READINGS });
  readonly #describing = new SharedDrawings<PreviewDescription>();

  constructor(parts: PreviewParts) {
    this.#parts = parts;
    const sources = new BlobSources(parts.blobs, { aheadBytes: 0 });
    this.#sources = new OpenBlobs(sources, { most: MOST_OPEN, direct: true }, async (source) => source);
  }

  /** Asks for the store of a content that needs one. */
  async state(dataset: ServedDataset, request: TileRequest): Promise<PreviewState> {
    const content = contentOf(dataset, this.#parts.directBytes);
    if (content === undefined) return { state: 'none', reason: 'The dataset has no content yet.' };
    const { blob } = dataset;
    const { db } = this.#parts;
    const row = blob === undefined ? null : await findPreview(db, blob);
    if (row?.state === 'failed' && row.needs === 'store') return { state: 'failed', reason: row.reason! };
    if (row?.state === 'ready' && row.isOld) await db.transaction((tx) => noteUse(tx, blob!));
    let access: Access;
    try {
      access = row?.needs === 'store' ? 'store' : (content.access ?? (await this.#accessOf(dataset, content, request)));
    } catch (error) {
      return this.fail(dataset, error);
    }
    if (access !== 'store')
      return {
        state: 'ready',
        content: withOverview({ ...content, access, ...(blob !== undefined && { blob }) }, row),
      };
    if (row?.state === 'ready' && row.needs === 'store') {
      const reader = STORE_READERS[row.storeFormat!];
      const key = `${content.key} ${row.store}`;
      return {
        state: 'ready',
        content: withOverview({ ...content, key, reader, access: 'ranges', kind: 'store', blob: row.store! }, row),
      };
    }
    const isAsked = row?.needs === 'store' && (await isBeingMade(db, blob!));
    if (!isAsked) await db.transaction((tx) => requestStore(tx, blob!, 'store'));
    return { state: 'building', progress: row?.progress ?? 0 };
  }

  /** How a content is read. A thread looks at its beginning, once for each process. */
  async #accessOf(dataset: ServedDataset, content: PreviewContent, request: TileRequest): Promise<Access> {
    const known = this.#accesses.get(content.key);
    if (known !== undefined) return known;
    const blob = { ...content, access: 'ranges', blob: dataset.blob! } as const;
    const bytes = await this.answer(dataset, blob, { ask: 'reading' }, request);
    const reading = JSON.parse(Buffer.from(bytes!).toString()) as Reading;
    const access = accessOf(dataset, reading, this.#parts.directBytes);
    this.#accesses.set(content.key, access);
    return access;
  }

  /** Asks for the overview of a large grid. Undefined: it needs none that is still to be made. */
  async missingOverview(
    { blob }: ServedDataset,
    { access, overviewState }: DrawableContent,
    { coarsest = 0 }: PreviewDescription,
  ): Promise<MissingOverview | undefined> {
    const { db, overviewCells } = this.#parts;
    const isDone = overviewState === 'ready' || overviewState === 'none';
    if (blob === undefined || access === 'tiles' || access === 'series' || isDone || coarsest <= overviewCells)
      return undefined;
    if (overviewState === undefined || !(await isBeingMade(db, blob)))
      await db.transaction((tx) => requestStore(tx, blob, 'overview'));
    return { cells: coarsest, most: overviewCells };
  }

  /** The state, after the store was made or the time is over. */
  async settledState(dataset: ServedDataset, milliseconds: number, request: TileRequest): Promise<PreviewState> {
    const until = performance.now() + milliseconds;
    for (;;) {
      const state = await this.state(dataset, request);
      const left = until - performance.now();
      if (state.state !== 'building' || left <= 0) return state;
      await sleep(Math.min(left, LOOK_AGAIN_MS), undefined, { signal: request.signal });
    }
  }

  /**
   * What a content contains. Undefined: it holds nothing that can be drawn.
   * @throws FormatError if it cannot be read
   */
  async describe(dataset: ServedDataset, content: DrawableContent, request: TileRequest): Promise<PreviewDescription> {
    const known = this.#descriptions.get(content.key);
    if (known !== undefined) return known;
    return this.#describing.of(content.key, request.signal, async (signal) => {
      const description =
        content.access === 'tiles'
          ? describeTiles(await this.tilesOf(content))
          : await this.#readDescription(dataset, content, { ...request, signal });
      this.#descriptions.set(content.key, description);
      return description;
    });
  }

  async #readDescription(
    dataset: ServedDataset,
    content: DrawableContent,
    request: TileRequest,
  ): Promise<PreviewDescription> {
    const bytes = await this.answer(dataset, content, { ask: 'description' }, request);
    return JSON.parse(Buffer.from(bytes!).toString()) as PreviewDescription;
  }

  /**
   * What follows from the error of `describe`. Asks for a store if that is what it needs. Why a content cannot be read
   * is kept until the dataset gets another one, or somebody retries.
   */
  async fail({ blob }: ServedDataset, error: unknown): Promise<Exclude<PreviewState, { state: 'ready' }>> {
    if (error instanceof RequestError || !(error instanceof FormatError || error instanceof ConversionError))
      throw error;
    const { message: reason } = error;
    if (error instanceof ConversionError && error.code === NEEDS_STORE && blob !== undefined) {
      await this.#parts.db.transaction((tx) => requestStore(tx, blob, 'store'));
      return { state: 'building', progress: 0 };
    }
    if (error instanceof ConversionError) return { state: 'none', reason };
    if (blob !== undefined) await this.#parts.db.transaction((tx) => markUnreadable(tx, blob, reason));
    return { state: 'failed', reason };
  }

  /** Forgets that a content could not be read. */
  async retry(dataset: ServedDataset): Promise<void> {
    const { blob } = dataset;
    if (blob !== undefined) await this.#parts.db.transaction((tx) => forgetFailure(tx, blob));
  }

  /** The tiles of a tiles dataset. Sentences do not name it: holders of links do not learn its id. */
  async tilesOf({ blob }: Pick<DrawableContent, 'blob'>): Promise<StoredTiles> {
    return this.#parts.drawn.open.ofBlob(blob!).catch(rethrowReplaced);
  }

  /** Has a task done in a thread of tiles. Undefined: nothing lies in the tile. */
  async answer(
    dataset: ServedDataset,
    content: DrawableContent,
    task: PreviewTask,
    request: TileRequest,
  ): Promise<Uint8Array | undefined> {
    const drawing = this.drawing(dataset, content, task, {
      schemeId: task.ask,
      step: 0,
      layer: 0,
      level: 0,
      column: 0,
      row: 0,
    });
    return (await this.#parts.drawn.store.draw(drawing, request)).bytes;
  }

  /** How a thread does a task. */
  drawing(
    dataset: ServedDataset,
    content: DrawableContent,
    task: PreviewTask,
    place: Omit<TileDrawing['key'], 'datasetId' | 'blob'>,
    storedFrom = Number.POSITIVE_INFINITY,
  ): TileDrawing {
    return {
      kind: 'raster',
      key: { datasetId: dataset.id, blob: content.key, ...place },
      storedFrom,
      draw: async (draw, signal) => {
        const { key, name, reader, srid, kind, access } = content;
        const scratch = await this.#parts.scratch.folder();
        const overview = content.overview === undefined ? undefined : await this.#source(dataset, content.overview);
        const preview: PreviewFile = {
          key,
          name,
          kind,
          scratch,
          ...(reader !== undefined && { reader }),
          ...(srid !== undefined && { srid }),
          ...(access === 'whole' && { mostIndexed: MOST_INDEXED }),
        };
        if (content.access === 'ranges') {
          const source = await this.#source(dataset, content.blob!);
          const { size } = source;
          // the overview follows the content
          const read = (offset: number, length: number) =>
            offset < size ? source.read(offset, length) : overview!.read(offset - size, length);
          return draw({ preview: { ...preview, size, ...overviewMember(overview, size) }, task }, { read });
        }
        return this.#parts.scratch.lend(content.fileKey ?? key, {
          make: (path, all) => this.#fetch(dataset, content, path, all),
          signal,
          work: (path) => draw({ preview: { ...preview, path, ...overviewMember(overview, 0) }, task }, overview),
        });
      },
    };
  }

  /** A store or overview that is lost is made again at the next request. */
  async #source({ blob: own }: ServedDataset, blob: string): Promise<OpenBlob> {
    try {
      return await this.#sources.open(blob);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'notFound') throw error;
      if (own !== undefined && blob !== own) await this.#parts.db.transaction((tx) => forgetStore(tx, own, blob));
      throw replaced();
    }
  }

  async #fetch(
    { id }: ServedDataset,
    { access, blob }: DrawableContent,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { db, blobs } = this.#parts;
    if (access === 'series') {
      if (!(await writeSeriesFile(db, id, path, { values: true, signal }))) throw replaced();
      return;
    }
    await blobs.fetch(blob!, path, signal).catch(rethrowReplaced);
  }

  async close(): Promise<void> {
    await this.#sources.close();
    await this.#parts.scratch.close();
  }
}

const sizeOf = ({ items }: PreviewDescription, key: string) => 1000 + key.length + 300 * items.length;

const overviewMember = (overview: OpenBlob | undefined, offset: number) =>
  overview === undefined ? {} : { overview: { offset, size: overview.size } };

/** The content was replaced or deleted since the dataset was read. */
const replaced = () =>
  new AppError('unavailable', 'The content was replaced or deleted meanwhile. Try again in 1 s.', { retryAfter: 1 });

function rethrowReplaced(error: unknown): never {
  throw error instanceof AppError && error.kind === 'notFound' ? replaced() : error;
}
