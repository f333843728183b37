import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { FileSink, FileSource } from '../formats/io/bytes.ts';
import { piecesOf } from '../formats/io/pieces.ts';
import { zipEntries } from '../formats/io/zip.ts';
import { unpackEntry } from '../formats/io/zip-entry.ts';
import { ZipWriter } from '../formats/io/zip-writer.ts';

/** Extensions of the files that stand beside a main file with the same name. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  '.shp': ['.shx', '.dbf', '.prj', '.cpg'],
  '.tab': ['.dat', '.map', '.id', '.ind', '.dbf'],
  '.mif': ['.mid'],
};
const CHUNK = 2 ** 18;

/** The names in a folder, by their lower case. */
export async function namesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder).catch((): string[] => []);
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

/**
 * The .shp, .tab or .mif file that a part of it belongs to, if it is beside it; of other files the file itself.
 * @param names as `namesIn`, which reads the folder
 */
export async function mainFile(path: string, names = namesIn): Promise<string> {
  const mains = Object.keys(COMPANIONS).filter((main) => isCompanion(path, main));
  if (mains.length === 0) return path;
  const beside = await names(dirname(path));
  for (const main of mains) {
    const found = beside.get(`${basename(path, extname(path)).toLowerCase()}${main}`);
    if (found !== undefined) return join(dirname(path), found);
  }
  return path;
}

/** A file in a temporary folder; `close` deletes both. */
export interface Packed {
  path: string;
  close(): Promise<void>;
}

/** Zips a `.shp`, `.tab` or `.mif` file with its companion files (the same name, other extensions). */
export async function zipWithCompanions(main: string): Promise<Packed> {
  const extension = extname(main).toLowerCase();
  const stem = basename(main, extname(main));
  // programs write extensions in either letter case
  const isBeside = (name: string) => basename(name, extname(name)).toLowerCase() === stem.toLowerCase();
  const names = (await readdir(dirname(main))).filter(
    (name) => name === basename(main) || (isBeside(name) && isCompanion(name, extension)),
  );
  const folder = await mkdtemp(join(tmpdir(), 'hydrofiles-zip-'));
  const path = join(folder, `${stem}.zip`);
  try {
    await using sink = await FileSink.create(path, { checksum: false });
    const zip = new ZipWriter(sink);
    for (const name of names.sort()) await addFile(zip, join(dirname(main), name), name);
    await zip.finish();
    await sink.flush();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return { path, close: () => rm(folder, { recursive: true, force: true }) };
}

const isCompanion = (name: string, main: string): boolean =>
  COMPANIONS[main]?.includes(extname(name).toLowerCase()) ?? false;

async function addFile(zip: ZipWriter, path: string, name: string): Promise<void> {
  await using file = await FileSource.open(path, { checksum: false });
  await zip.add(name, file.size, piecesOf(file, { size: CHUNK }));
}

/** Name of a shapefile without the suffixes for its step and kind of geometry. */
const shapefileBase = (name: string) => name.replace(/(?:_\d{4,})?(?:_(?:point|multipoint|line|polygon))?$/, '');

/**
 * Unpacks a zip of shapefiles into a folder and returns the paths. Names begin with `stem`: `stem.shp`, or
 * `stem_0000.shp` and
 * `stem_line.shp` for several.
 */
export async function unpackShapefiles(zip: string, folder: string, stem: string): Promise<string[]> {
  await using source = await FileSource.open(zip, { checksum: false });
  const entries = await zipEntries(source);
  const layers = entries.filter(({ name }) => extname(name) === '.shp').map(({ name }) => basename(name, '.shp'));
  const base = layers.length === 1 ? layers[0]! : shapefileBase(layers[0] ?? '');
  const paths: string[] = [];
  for (const entry of entries) {
    const unpacked = await unpackEntry(source, entry, folder);
    const name = basename(entry.name);
    const path = join(folder, name.startsWith(base) ? stem + name.slice(base.length) : name);
    await rename(unpacked, path);
    paths.push(path);
  }
  return paths;
}
