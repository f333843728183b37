import {
  type FeatureBlock,
  findByNumber,
  foundBlocks,
  type Indexed,
  type Placed,
  type Position,
  scanBlocks,
  searchIndex,
} from 'hydrofiles/features';
import { AppError } from '../errors.ts';
import { asRefusal, type Content } from './content.ts';
import { packPlaced } from './placed.ts';
import type { FeatureQuery, Portion, Rendered, Skipped } from './renderer.ts';

/** Larger features are left out of answers. */
export const MAX_FEATURE = 64 * 2 ** 20;
/**
 * A page with features ends after this number of bytes of text, or of tested features, and continues on the next
 * page.
 */
const MAX_TEXT = 16 * 2 ** 20;
const MAX_TESTED = 64 * 2 ** 20;
/** Bytes of blocks that are joined. */
const JOINED = 2 ** 18;
/** Parts of a scan. */
export const SCANNED = { maxSize: MAX_FEATURE, perBlock: 4096 };
/** Maximum number of features that an answer names as left out. */
const MAX_SKIPPED = 10;

export interface PageRequest {
  readonly query: FeatureQuery;
  readonly limit: number;
  /** Where the page begins; absent: at the first feature. */
  readonly from?: Position;
  /** Number of matching features to skip before the page. */
  readonly offset?: number;
  readonly signal: AbortSignal;
}

export interface PageEnd {
  /** Number of features on the page. */
  readonly returned: number;
  /** Number of features on all pages, where it is known. */
  readonly matched?: number;
  /** Where the next page begins; absent: this is the last one. */
  readonly next?: Position;
  /** Features that could not be read or written. */
  readonly skipped: readonly Skipped[];
}

/** Whether a query takes every feature. */
const isPlain = ({ bbox, filter, id }: FeatureQuery): boolean =>
  bbox === undefined && filter === undefined && id === undefined;

/** Texts of features, which have commas between them, and how the page ended. Closes the source. */
export async function* featurePage(content: Content, page: PageRequest): AsyncGenerator<Uint8Array, PageEnd> {
  try {
    return yield* new PageReader(content, page).read();
  } catch (error) {
    throw asRefusal(error, content.dataset.id);
  } finally {
    await content.source.close();
  }
}

class PageReader {
  readonly #content: Content;
  readonly #page: PageRequest;
  /** The query as the thread takes it. */
  readonly #key: string;
  readonly #skipped: Skipped[] = [];
  #returned = 0;
  #toPass: number;
  #textBytes = 0;
  #testedBytes = 0;

  constructor(content: Content, page: PageRequest) {
    this.#content = content;
    this.#page = page;
    this.#key = JSON.stringify(page.query);
    this.#toPass = page.offset ?? 0;
  }

  async *read(): AsyncGenerator<Uint8Array, PageEnd> {
    const { signal, from } = this.#page;
    for await (const block of this.#blocks()) {
      if (signal.aborted) throw new AppError('unavailable', 'The client has disconnected.');
      for (const { number, size } of block.tooLarge)
        this.#skip({ number, reason: `It has ${size} bytes; queries return features of up to ${MAX_FEATURE}.` });
      const next = yield* this.#render(block);
      if (next !== undefined) return this.#end(next);
    }
    const all = from === undefined && this.#page.offset === undefined ? this.#returned : undefined;
    return this.#end(undefined, all);
  }

  /** Renders the matches of a block; returns where the next page begins if this one is full. */
  async *#render(block: FeatureBlock): AsyncGenerator<Uint8Array, Position | undefined> {
    const { limit, query } = this.#page;
    const { features, offset } = block;
    for (let start = 0; start < features.length; ) {
      const left = limit - this.#returned;
      // the first feature of the next page is looked for, too
      const tested = features.slice(start, isPlain(query) ? start + this.#toPass + left + 1 : features.length);
      start += tested.length;
      const portion = { skip: this.#toPass, limit: left };
      const rendered = await renderFeatures(this.#content, this.#key, { ...block, features: tested }, portion);
      this.#toPass -= rendered.passed;
      for (const one of rendered.skipped) this.#skip(one);
      if (rendered.count > 0) {
        if (this.#returned > 0) yield COMMA;
        yield rendered.text;
      }
      this.#returned += rendered.count;
      this.#textBytes += rendered.text.length;
      const beyond = tested.find(({ number }) => number === rendered.beyond);
      if (beyond !== undefined) return { number: beyond.number, offset: offset + beyond.at - 4 };
    }
    const last = features.at(-1);
    if (last === undefined) return undefined;
    const end = last.at + last.size;
    this.#testedBytes += end - features[0]!.at;
    const isFull = this.#textBytes > MAX_TEXT || this.#testedBytes > MAX_TESTED;
    if (!isFull || this.#returned === 0 || this.#isLast(last)) return undefined;
    return { number: last.number + 1, offset: offset + end };
  }

  #isLast({ number }: Placed): boolean {
    return number + 1 === this.#content.header.count;
  }

  #blocks(): AsyncGenerator<FeatureBlock> {
    return queriedBlocks(this.#content, this.#key, { number: this.#page.from?.number, start: () => this.#start() });
  }

  /** Where a scan begins; undefined: behind the last feature. The index leads to a feature by its number. */
  async #start(): Promise<Position | undefined> {
    const { source, header } = this.#content;
    const { from, query } = this.#page;
    let number = from?.number ?? 0;
    if (header.index === undefined) return from ?? { number: 0, offset: header.start };
    if (isPlain(query)) {
      number += this.#toPass;
      this.#toPass = 0;
    }
    return number < header.count ? findByNumber(source, header as Indexed, number) : undefined;
  }

  #skip(one: Skipped): void {
    if (this.#skipped.length < MAX_SKIPPED) this.#skipped.push(one);
  }

  #end(next: Position | undefined, all?: number): PageEnd {
    const { count } = this.#content.header;
    const matched = isPlain(this.#page.query) && count > 0 ? count : next === undefined ? all : undefined;
    return {
      returned: this.#returned,
      skipped: this.#skipped,
      ...(matched === undefined ? {} : { matched }),
      ...(next === undefined ? {} : { next }),
    };
  }
}

/** Where the blocks of a query begin: the number of the first feature in the index, and the place of a scan. */
interface FirstFeature {
  readonly number?: number | undefined;
  start(): Promise<Position | undefined>;
}

/**
 * The parts of the features that a query may match, by the index if it has a box.
 * @param key the query as the thread takes it
 */
export async function* queriedBlocks(
  { source, header, run }: Content,
  key: string,
  { number, start }: FirstFeature,
): AsyncGenerator<FeatureBlock> {
  const areas = await run({ kind: 'areas', query: key });
  if (areas?.length === 0) return;
  if (areas === undefined || header.index === undefined) {
    const first = await start();
    if (first !== undefined) yield* scanBlocks(source, header, first, SCANNED);
    return;
  }
  for await (const found of searchIndex(source, header as Indexed, areas, number))
    yield* joined(foundBlocks(source, found, MAX_FEATURE));
}

const COMMA = Buffer.from(',\n');

/** Lets the thread test and write features of a block. */
export function renderFeatures(
  { run }: Content,
  query: string,
  { bytes, offset, features }: Pick<FeatureBlock, 'bytes' | 'offset' | 'features'>,
  portion: Portion,
): Promise<Rendered> {
  const start = features[0]!.at;
  const last = features.at(-1)!;
  return run({
    kind: 'render',
    query,
    bytes: bytes.subarray(start, last.at + last.size),
    offset: offset + start,
    features: packPlaced(features, start, offset),
    portion,
  });
}

/** Joins small blocks of found features: each visit to the thread costs as much as writing some dozens of features. */
async function* joined(blocks: AsyncIterable<FeatureBlock>): AsyncGenerator<FeatureBlock> {
  let parts: Buffer[] = [];
  let length = 0;
  let features: Placed[] = [];
  const whole = (): FeatureBlock => ({ bytes: Buffer.concat(parts, length), offset: 0, features, tooLarge: [] });
  for await (const block of blocks) {
    const { bytes, offset, tooLarge } = block;
    if (length > 0 && (length + bytes.length > JOINED || tooLarge.length > 0)) {
      yield whole();
      [parts, length, features] = [[], 0, []];
    }
    if (bytes.length > JOINED || tooLarge.length > 0) yield block;
    else {
      for (const { number, at, size } of block.features)
        features.push({ number, at: at + length, size, offset: offset + at });
      parts.push(bytes);
      length += bytes.length;
    }
  }
  if (length > 0) yield whole();
}
