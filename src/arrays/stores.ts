import type { Crs, Mesh } from 'hydrofiles/data';
import { FormatError } from 'hydrofiles/errors';
import {
  ChunkCache,
  ChunkThreads,
  CRS,
  dataOfStore,
  descriptionIn,
  type OpenedStore,
  ZarrStore,
} from 'hydrofiles/zarr';
import { BlobSources, type OpenBlob } from '../blobs/blob-source.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import { OpenBlobs } from '../blobs/open-blobs.ts';
import { AppError } from '../errors.ts';
import { type CellGrid, cellGridOf } from './cell-grid.ts';
import { type Box, boxOf, wgs84ExtentOf } from './extent.ts';
import { EXPORT_INSTEAD } from './limits.ts';
import { MeshPlaces } from './mesh-places.ts';
import { listVariables, type Variable } from './variables.ts';

/** A dataset whose values can be read. */
export interface OpenDataset {
  readonly data: OpenedStore['data'];
  readonly variables: readonly Variable[];
  /** Cells of a grid or placed array. */
  readonly cells?: CellGrid | undefined;
  /** Elements and nodes of a mesh. */
  readonly places?: MeshPlaces | undefined;
  readonly crs?: Crs | undefined;
  /** Outer edges in the coordinate system of the data. */
  readonly box?: Box | undefined;
  /** Box of longitudes and latitudes as WKT. */
  readonly wgs84Extent?: string | undefined;
  /** Title of the source file. */
  readonly title?: string | undefined;
  /** WKT of the coordinate system, as PROJ wrote it. */
  readonly wkt?: string | undefined;
}

/** Bytes of blobs in memory, and of decoded chunks of all stores: for small requests, and in threads. */
const pageBytes = 1 << 26;
const chunkBytes = 1 << 24;
const threadBytes = 1 << 26;
/** Opened stores that are kept, and their bytes in memory. */
const mostStores = 32;
const mostBytes = 1 << 28;
/** Bytes of an entry of a zip's directory in memory. */
const entryBytes = 300;
/** Coordinates of one store, such as those of a mesh. */
const mostCoordinates = 1 << 24;
/** Requests whose values are read at a time; others wait. */
const mostReading = 8;

interface Weighed {
  readonly dataset: OpenDataset;
  readonly bytes: number;
}

/**
 * Opens stores of blobs, and keeps what the next request needs: directories, metadata and coordinates of the last used
 * ones.
 */
export class Stores {
  readonly #chunks = new ChunkCache(chunkBytes);
  readonly #threads = new ChunkThreads(threadBytes);
  readonly #open: OpenBlobs<Weighed>;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(blobs: BlobStore) {
    // not read ahead: chunks of an answer seldom follow each other
    const sources = new BlobSources(blobs, { cacheBytes: pageBytes, aheadBytes: 0 });
    const kept = { most: mostStores, mostBytes, bytesOf: ({ bytes }: Weighed) => bytes, direct: true };
    this.#open = new OpenBlobs(sources, kept, (source, blob) => this.#opened(source, blob));
  }

  /** @param blob name of one version of the content: a write makes a new blob */
  async open(blob: string): Promise<OpenDataset> {
    try {
      return (await this.#open.open(blob)).dataset;
    } catch (error) {
      throw readable(error);
    }
  }

  forget(blob: string): void {
    this.#open.forget(blob);
  }

  async close(): Promise<void> {
    await this.#open.close();
    await this.#threads.close();
  }

  /** Runs work that reads values; some at a time. */
  async reading<T>(work: () => Promise<T>): Promise<T> {
    if (this.#reading >= mostReading) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading++;
    try {
      return await work();
    } catch (error) {
      throw readable(error);
    } finally {
      // the next one takes this place
      const next = this.#waiting.shift();
      if (next === undefined) this.#reading--;
      else next();
    }
  }

  async #opened(source: OpenBlob, blob: string): Promise<Weighed> {
    const store = await ZarrStore.open(source, {
      cache: this.#chunks,
      key: `${blob} ${source.etag}`,
      threads: this.#threads,
    });
    const coordinates = coordinateCount(store);
    if (coordinates > mostCoordinates)
      throw new AppError(
        'tooLarge',
        `The dataset has ${coordinates} coordinates. Queries work on up to ${mostCoordinates}. Instead, ${EXPORT_INSTEAD}.`,
      );
    const opened = await dataOfStore(store, { log() {}, reportLoss() {}, remark() {} });
    const data = opened.data.kind === 'mesh' ? inSharedMemory(opened.data) : opened.data;
    const wkt = store.arrays.get(CRS)?.metadata.attributes.crs_wkt;
    const box = boxOf(data);
    const { title } = store.attributes;
    const dataset = {
      data,
      variables: listVariables(opened),
      cells: data.kind === 'mesh' ? undefined : cellGridOf(data),
      places: data.kind === 'mesh' ? new MeshPlaces(data) : undefined,
      crs: data.crs,
      box,
      wgs84Extent: await wgs84ExtentOf(data, box),
      title: typeof title === 'string' && title !== '' ? title : undefined,
      wkt: typeof wkt === 'string' ? wkt : undefined,
    };
    return { dataset, bytes: store.entries * entryBytes + 2 * 8 * coordinates };
  }
}

/** A mesh whose places threads get without a copy. */
function inSharedMemory(mesh: Mesh): Mesh {
  const shared = <A extends Float64Array | Int32Array | Uint32Array | Uint8Array>(all: A): A => {
    const own = new (all.constructor as new (buffer: SharedArrayBuffer) => A)(new SharedArrayBuffer(all.byteLength));
    own.set(all as never);
    return own;
  };
  const { nodeCodes, nodeIds, cellIds, layers } = mesh;
  return {
    ...mesh,
    nodes: shared(mesh.nodes),
    shapes: shared(mesh.shapes),
    connectivity: shared(mesh.connectivity),
    offsets: shared(mesh.offsets),
    ...(nodeCodes === undefined ? {} : { nodeCodes: shared(nodeCodes) }),
    ...(nodeIds === undefined ? {} : { nodeIds: shared(nodeIds) }),
    ...(cellIds === undefined ? {} : { cellIds: shared(cellIds) }),
    ...(layers === undefined ? {} : { layers: { ...layers, columns: shared(layers.columns) } }),
  };
}

/** Values of arrays that are read whole: those of one dimension, and geometry. */
function coordinateCount({ arrays, attributes }: ZarrStore): number {
  const described = descriptionIn(attributes);
  const items = new Set(described?.items.map(({ array }) => array));
  let count = 0;
  for (const [name, { shape }] of arrays) {
    if (items.has(name) || (described === undefined && shape.length !== 1) || name === 'node_heights') continue;
    count += shape.reduce((size, length) => size * length, 1);
  }
  return count;
}

/** A store that cannot be read is no fault of the server. */
const readable = (error: unknown): unknown =>
  error instanceof FormatError
    ? new AppError('unprocessable', `The content of the dataset cannot be read: ${error.message}`)
    : error;
