import { FormatError } from 'hydrofiles/errors';
import { AppError, notFound } from '../errors.ts';
import type { BlobSources, OpenBlob } from './blob-source.ts';

interface Open<T> {
  readonly source: OpenBlob;
  readonly content: T;
}

/** How much stays open. */
export interface Kept<T> {
  /** Contents. */
  readonly most: number;
  /** Bytes of them in memory, as `bytesOf` tells. */
  readonly mostBytes?: number;
  bytesOf?(content: T): number;
  /** Blobs of a local store are read without a cache (`openDirect`). */
  readonly direct?: boolean;
}

/**
 * Contents of datasets that stay open: of the last used ones, what was read at the opening is kept, by the name of the
 * blob. A blob never changes, because each write of a dataset makes a new one.
 */
export class OpenBlobs<T> {
  readonly #sources: BlobSources;
  readonly #kept: Kept<T>;
  readonly #read: (source: OpenBlob, blob: string) => Promise<T>;
  /** Least recently used first. */
  readonly #open = new Map<string, { readonly opening: Promise<Open<T>>; bytes: number }>();

  /** @param read reads what is kept, such as a header */
  constructor(sources: BlobSources, kept: Kept<T>, read: (source: OpenBlob, blob: string) => Promise<T>) {
    this.#sources = sources;
    this.#kept = kept;
    this.#read = read;
  }

  /**
   * As `open`; throws `unprocessable` for damaged content, and `notFound` for content that was replaced since the
   * dataset was read.
   */
  async of(dataset: string, blob: string): Promise<T> {
    try {
      return await this.open(blob);
    } catch (error) {
      if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${dataset}': ${error.message}`);
      if (error instanceof AppError && error.kind === 'notFound') throw notFound('Dataset', dataset);
      throw error;
    }
  }

  async open(blob: string): Promise<T> {
    let open = this.#open.get(blob);
    if (open === undefined) {
      open = { opening: this.#start(blob), bytes: 0 };
      const { opening } = open;
      opening.catch(() => {
        if (this.#open.get(blob)?.opening === opening) this.forget(blob);
      });
    }
    this.#open.delete(blob);
    this.#open.set(blob, open);
    this.#evict();
    return (await open.opening).content;
  }

  /** The next request opens the blob again. */
  forget(blob: string): void {
    this.#open.delete(blob);
  }

  async #start(blob: string): Promise<Open<T>> {
    const { direct = false, bytesOf } = this.#kept;
    const source = await (direct ? this.#sources.openDirect(blob) : this.#sources.open(blob));
    try {
      const content = await this.#read(source, blob);
      const entry = this.#open.get(blob);
      if (entry !== undefined) entry.bytes = bytesOf?.(content) ?? 0;
      this.#evict();
      return { source, content };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** Sources are not closed, because requests may be reading from them, which the close would end. */
  #evict(): void {
    const { most, mostBytes = Number.POSITIVE_INFINITY } = this.#kept;
    let sum = this.#open.values().reduce((all, { bytes }) => all + bytes, 0);
    for (const [oldest, { bytes }] of this.#open) {
      if ((sum <= mostBytes && this.#open.size <= most) || this.#open.size === 1) break;
      this.#open.delete(oldest);
      sum -= bytes;
    }
  }

  /** Ends requests that are reading. */
  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { opening } of all)
      await opening.then(
        ({ source }) => source.close(),
        () => undefined,
      );
  }
}
