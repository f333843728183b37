import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** What a coordinate reference system is found by; the rest of its record is only sent. */
interface Entry {
  id: number;
  authority: string;
  /** In lower case. */
  name: string;
  /** The whole record as JSON, UTF-8, as it is answered. */
  record: Buffer;
}

export interface CrsFilter {
  /** Contained in the name, in any letter case. */
  nameText?: string | undefined;
  /** Contained anywhere in the record: number, name, texts, area of use. */
  fullText?: string | undefined;
  authority?: string | undefined;
}

let loading: Promise<readonly Entry[]> | undefined;

/** All of them, from the list that `make-catalogue.ts` wrote (EPSG Geodetic Parameter Dataset, © IOGP; Esri projection engine). */
function catalogue(): Promise<readonly Entry[]> {
  loading ??= load();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<readonly Entry[]> {
  const text = await promisify(brotliDecompress)(await readFile(new URL('catalogue.br', import.meta.url)));
  const entries: Entry[] = [];
  let start = 0;
  for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
    const record = text.subarray(start, end);
    const { id, authority, name } = JSON.parse(record.toString()) as Entry;
    entries.push({ id, authority, name: name.toLowerCase(), record });
    start = end + 1;
  }
  return entries;
}

/** Records as JSON, EPSG's before Esri's, by number. */
export async function findSystems({ nameText, fullText, authority }: CrsFilter): Promise<Buffer[]> {
  const [name, full, from] = [nameText, fullText, authority].map((text) => text?.toLowerCase());
  return (await catalogue())
    .filter(
      (entry) =>
        (from === undefined || entry.authority.toLowerCase() === from) &&
        (name === undefined || entry.name.includes(name)) &&
        (full === undefined || entry.record.toString().toLowerCase().includes(full)),
    )
    .map(({ record }) => record);
}

/** EPSG's when both registries have the number and none is named. */
export const findSystem = async (id: number, authority?: string): Promise<Buffer | undefined> =>
  (await catalogue()).find(
    (entry) => entry.id === id && (authority === undefined || entry.authority === authority.toUpperCase()),
  )?.record;

export const findAuthorities = async (): Promise<string[]> => [
  ...new Set((await catalogue()).map(({ authority }) => authority)),
];
