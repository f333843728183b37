import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { searchThread } from './search-thread.ts';

/** Degrees; one whose west is greater than its east crosses 180°. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}
export interface AreaOfUse extends Box {
  name: string;
}

/** What of a system is looked at to find it, and how many bytes its record has. */
export type IndexEntry = [
  id: number,
  authority: string,
  name: string,
  aliases: string[],
  area: AreaOfUse | null,
  bytes: number,
];

interface Entry {
  id: number;
  authority: string;
  /** In lower case. */
  name: string;
  /** In lower case: `epsg:25832`, the number, the name, other names, deprecated numbers. */
  names: string[];
  /** Names and area of use in lower case, to look for words in. */
  words: string;
  area: AreaOfUse | null;
  /** Where its record stands in the text. */
  start: number;
  end: number;
}

interface Catalogue {
  entries: readonly Entry[];
  /** The records as JSON with commas between, UTF-8, as they are answered; in memory that the thread that searches sees, too. */
  text: Uint8Array;
  search: ReturnType<typeof searchThread>;
}

export interface CrsFilter {
  /** Words that are all contained in names, other names, numbers or the area of use, in any letter case. */
  text?: string | undefined;
  /** Contained in the name, in any letter case. */
  nameText?: string | undefined;
  /** Contained anywhere in the record: number, name, texts, area of use. */
  fullText?: string | undefined;
  authority?: string | undefined;
  /** Has a point in common with the area of use. */
  box?: Box | undefined;
}

let loading: Promise<Catalogue> | undefined;

/** All of them, from the list that `make-catalogue.ts` wrote (EPSG Geodetic Parameter Dataset, © IOGP; Esri projection engine). */
function catalogue(): Promise<Catalogue> {
  loading ??= load();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<Catalogue> {
  const whole = await promisify(brotliDecompress)(await readFile(new URL('catalogue.br', import.meta.url)));
  const line = whole.indexOf(10);
  const records = whole.subarray(line + 1);
  const text = new Uint8Array(new SharedArrayBuffer(records.length));
  text.set(records);
  let start = 0;
  const entries = (JSON.parse(whole.toString('utf8', 0, line)) as IndexEntry[]).map((one): Entry => {
    const [id, authority, name, aliases, area, bytes] = one;
    const end = start + bytes;
    const names = [`${authority}:${id}`, String(id), name, ...aliases].map((each) => each.toLowerCase());
    const words = `${names.join('\n')}\n${area?.name.toLowerCase() ?? ''}`;
    const entry = { id, authority, name: name.toLowerCase(), names, words, area, start, end };
    start = end + 1;
    return entry;
  });
  const search = searchThread(
    text.buffer as SharedArrayBuffer,
    entries.map((one) => [one.start, one.end]),
  );
  return { entries, text, search };
}

/** What a filter leaves: how many there are, and records from `offset` on as JSON in pieces, with commas between. */
export interface Found {
  count: number;
  pieces: Uint8Array[];
}

/** EPSG's before Esri's, by number; with `text` those that are called exactly so come first. */
export async function findSystems(filter: CrsFilter, offset: number, limit: number): Promise<Found> {
  const { entries, text, search } = await catalogue();
  const { nameText, fullText, authority, box } = filter;
  const [name, full, from] = [nameText, fullText, authority].map((each) => each?.toLowerCase());
  const wanted = filter.text?.trim().toLowerCase().replace(/\s+/g, ' ') ?? '';
  const words = wanted.split(' ').filter(Boolean);
  const matching = full === undefined ? undefined : new Set(await search(full));
  const found = entries.filter(
    (entry, n) =>
      (from === undefined || entry.authority.toLowerCase() === from) &&
      (name === undefined || entry.name.includes(name)) &&
      words.every((word) => entry.words.includes(word)) &&
      (box === undefined || (entry.area !== null && overlaps(entry.area, box))) &&
      (matching === undefined || matching.has(n)),
  );
  const rank = ({ names }: Entry) => (names.includes(wanted) ? 0 : 1);
  if (words.length > 0) found.sort((one, two) => rank(one) - rank(two));
  return { count: found.length, pieces: piecesOf(found.slice(offset, offset + limit), text) };
}

/** Neighbours are one piece: the whole list is one. */
function piecesOf(found: readonly Entry[], text: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let n = 0; n < found.length; ) {
    const { start } = found[n] as Entry;
    let end = (found[n] as Entry).end;
    for (n += 1; found[n]?.start === end + 1; n += 1) end = (found[n] as Entry).end;
    if (pieces.length > 0) pieces.push(COMMA);
    pieces.push(text.subarray(start, end));
  }
  return pieces;
}
const COMMA = Buffer.from(',');

/** Longitudes wrap: a box that crosses 180° is two. */
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

/** EPSG's when both registries have the number and none is named. */
export async function findSystem(id: number, authority?: string): Promise<Uint8Array | undefined> {
  const { entries, text } = await catalogue();
  const found = entries.find(
    (one) => one.id === id && (authority === undefined || one.authority === authority.toUpperCase()),
  );
  return found && text.subarray(found.start, found.end);
}

/** The number, such as `EPSG:3857`, of the system that stands for a deprecated one. */
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
