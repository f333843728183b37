import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { TaskThread } from '../threads/task-thread.ts';
import type { SearchedRecords } from './search-thread.ts';
import { scattered, searchWords, wordRank } from './word-rank.ts';

/** Bounding box in degrees. If west is greater than east, it crosses the antimeridian. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}
export interface AreaOfUse extends Box {
  name: string;
}

/** Searchable members of a coordinate reference system (CRS), and the size of its record in bytes. */
export type IndexEntry = [
  id: number,
  authority: string,
  name: string,
  aliases: string[],
  area: AreaOfUse | null,
  bytes: number,
];

interface CatalogueEntry {
  id: number;
  authority: string;
  /** In lower case. */
  name: string;
  /** In lower case: `epsg:25832`, the code, the name, aliases, deprecated codes. */
  names: string[];
  /** Names and area of use in lower case, for word searches. */
  words: string;
  area: AreaOfUse | null;
  /** Byte range of the record in the text. */
  start: number;
  end: number;
}

interface Catalogue {
  entries: readonly CatalogueEntry[];
  /**
   * Records as JSON in UTF-8, separated by commas, as answers contain them. In memory shared with the search thread.
   */
  text: Uint8Array;
  /** Searches the values of all records, 25 MB, so that the event loop stays free. */
  search: TaskThread<string, number[]>;
}

export interface CrsFilter {
  /** Words that must all occur in name, aliases, code or area of use, in any letter case. */
  text?: string | undefined;
  /** Substring of the name, in any letter case. */
  nameText?: string | undefined;
  /** Substring of the whole record: code, name, definitions, area of use. */
  fullText?: string | undefined;
  authority?: string | undefined;
  /** Box that must intersect the area of use. */
  box?: Box | undefined;
}

/** The file of the catalogue, which `make-catalogue.ts` wrote. */
export const catalogueFile = new URL('catalogue.br', import.meta.url);
let loading: Promise<Catalogue> | undefined;

/**
 * The catalogue that `make-catalogue.ts` wrote, loaded once (EPSG Geodetic Parameter Dataset, © IOGP; Esri projection
 * engine).
 */
function catalogue(): Promise<Catalogue> {
  loading ??= load();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<Catalogue> {
  const whole = await promisify(brotliDecompress)(await readFile(catalogueFile));
  const line = whole.indexOf(10);
  const records = whole.subarray(line + 1);
  const text = new Uint8Array(new SharedArrayBuffer(records.length));
  text.set(records);
  let start = 0;
  const entries = (JSON.parse(whole.toString('utf8', 0, line)) as IndexEntry[]).map((one): CatalogueEntry => {
    const [id, authority, name, aliases, area, bytes] = one;
    const end = start + bytes;
    const names = [`${authority}:${id}`, String(id), name, ...aliases].map((each) => each.toLowerCase());
    const words = `${names.join('\n')}\n${area?.name.toLowerCase() ?? ''}`;
    const entry = { id, authority, name: name.toLowerCase(), names, words, area, start, end };
    start = end + 1;
    return entry;
  });
  const workerData: SearchedRecords = {
    text: text.buffer as SharedArrayBuffer,
    ranges: entries.map((one) => [one.start, one.end]),
  };
  const search = new TaskThread<string, number[]>(new URL('./search-thread.ts', import.meta.url), { workerData });
  return { entries, text, search };
}

/**
 * Result of a search: the number of matches, and the page of records as chunks of JSON, including separating commas.
 */
export interface Found {
  count: number;
  pieces: Uint8Array[];
}

/** Systems that most people mean. */
const COMMON = /^(wgs 84|etrs89)( \/|$)/;
/** Matches names with a height system or another order of axes. */
const QUALIFIED = /[(+]/;

/**
 * Order of the systems that match words: whole names and codes, names with the words, then other names and areas of
 * use; words that follow each other in the name before scattered ones; WGS 84 and ETRS89 before others, then plain and
 * short names.
 */
function computeRank({ name, names, area }: CatalogueEntry, wanted: string, words: readonly string[]): number[] {
  const inName = wordRank(words, name);
  const inNames = inName ?? wordRank(words, names.join(' '));
  const rank = inName ?? 100 + (inNames ?? 100 + (wordRank(words, `${names.join(' ')} ${area?.name ?? ''}`) ?? 100));
  return [
    names.includes(wanted) ? 0 : 1,
    rank,
    scattered(words, name),
    COMMON.test(name) ? 0 : 1,
    QUALIFIED.test(name) ? 1 : 0,
    name.split(' ').length,
  ];
}

function byRank(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, n) => value !== other[n]);
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number);
}

/** Searches the catalogue. Order: EPSG before Esri, then by code; with `text`, the best match first. */
export async function findSystems(filter: CrsFilter, offset: number, limit: number): Promise<Found> {
  const { entries, text, search } = await catalogue();
  const { nameText, fullText, authority, box } = filter;
  const [name, full, from] = [nameText, fullText, authority].map((each) => each?.toLowerCase());
  const wanted = filter.text?.trim().toLowerCase().replace(/\s+/g, ' ') ?? '';
  const words = searchWords(wanted);
  const matching = full === undefined ? undefined : new Set(await search.run(full));
  const found = entries.filter(
    (entry, n) =>
      (from === undefined || entry.authority.toLowerCase() === from) &&
      (name === undefined || entry.name.includes(name)) &&
      words.every((word) => entry.words.includes(word)) &&
      (box === undefined || (entry.area !== null && overlaps(entry.area, box))) &&
      (matching === undefined || matching.has(n)),
  );
  const ordered = words.length === 0 ? found : bestFirst(found, wanted, words);
  return { count: found.length, pieces: piecesOf(ordered.slice(offset, offset + limit), text) };
}

const bestFirst = (found: readonly CatalogueEntry[], wanted: string, words: readonly string[]): CatalogueEntry[] =>
  found
    .map((entry) => ({ entry, rank: computeRank(entry, wanted, words) }))
    .sort((one, two) => byRank(one.rank, two.rank))
    .map(({ entry }) => entry);

/** Chunks of JSON of these records. Adjacent records share a chunk, so the full list is one chunk. */
function piecesOf(found: readonly CatalogueEntry[], text: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let n = 0; n < found.length; ) {
    const { start } = found[n] as CatalogueEntry;
    let end = (found[n] as CatalogueEntry).end;
    for (n += 1; found[n]?.start === end + 1; n += 1) end = (found[n] as CatalogueEntry).end;
    if (pieces.length > 0) pieces.push(COMMA);
    pieces.push(text.subarray(start, end));
  }
  return pieces;
}
const COMMA = Buffer.from(',');

/** Whether two boxes intersect. A box that crosses the antimeridian is split in two. */
function overlaps(one: Box, two: Box): boolean {
  if (one.south > two.north || two.south > one.north) return false;
  const parts = ({ west, east }: Box) =>
    (west <= east
      ? [[west, east]]
      : [
          [west, 180],
          [-180, east],
        ]) as [number, number][];
  return parts(one).some(([west, east]) => parts(two).some(([other, end]) => west <= end && other <= east));
}

/** Finds a system by code. Without an authority, EPSG takes precedence over Esri. */
export async function findSystem(id: number, authority?: string): Promise<Uint8Array | undefined> {
  const { entries, text } = await catalogue();
  const found = entries.find(
    (one) => one.id === id && (authority === undefined || one.authority === authority.toUpperCase()),
  );
  return found && text.subarray(found.start, found.end);
}

/** Code of the replacement of a deprecated system, such as `EPSG:3857`. */
export async function findReplacement(id: number, authority?: string): Promise<string | undefined> {
  const wanted = (authority === undefined ? ['EPSG', 'ESRI'] : [authority]).map((each) =>
    `${each}:${id}`.toLowerCase(),
  );
  const found = (await catalogue()).entries.find(({ names }) => wanted.some((each) => names.includes(each)));
  return found && `${found.authority}:${found.id}`;
}

export const findAuthorities = async (): Promise<string[]> => [
  ...new Set((await catalogue()).entries.map(({ authority }) => authority)),
];
