import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { detect } from '../formats/detect.ts';
import type { Detected } from '../formats/file-format.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import { STDIO } from './output.ts';
import { mainFile, zipWithCompanions } from './shapefile-zip.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Format of a local file by its content, which counts more than its name; empty for an unknown format.
 * `hasCompanions`: the main file of a Shapefile or a MapInfo table, which is sent as a zip with its companion files.
 */
export type Recognised = Partial<Detected> & { hasCompanions?: boolean };

export async function recognise(path: string): Promise<Recognised> {
  await using source = await FileSource.open(path, { checksum: false });
  const head = Buffer.from(await source.read(0, 32));
  const isShp = head.length === 32 && head.readInt32BE(0) === 9994 && head.readInt32LE(28) === 1000;
  if (isShp && extname(path).toLowerCase() !== '.shx')
    return { format: 'shapefile', name: 'a Shapefile', hasCompanions: true };
  const found = await detect(source);
  if (found?.zipped === undefined) return found ?? {};
  return { format: found.zipped, name: found.name, hasCompanions: true };
}

/** Size of a local file in bytes. Throws a `UsageError` if it is not a file. */
export async function measureSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return found.size;
  throw new UsageError(found ? `${file} is not a file.` : `There is no file ${file}.`);
}

export const isAddress = (file: string) => /^https?:\/\//i.test(file);

/** A local input file of a command that needs no server. */
export interface LocalInput {
  path: string;
  /** Name for the receipt. A file that is zipped with its companions has a name that ends in `.zip`. */
  name: string;
  content: Recognised;
}

/** Opens the file of an argument; `-` is stdin. `open` deletes the temporary files. */
export async function openLocal(io: Io, argument: string, open: AsyncDisposableStack): Promise<LocalInput> {
  if (isAddress(argument))
    throw new UsageError(
      `Only local files can be read without a server. ${io.adviceOnAddress ?? 'Download it first.'}`,
    );
  const given = argument === STDIO ? await spooled(io, await temporaryFolder(tmpdir(), open)) : argument;
  await measureSize(given);
  const path = await mainFile(given);
  const content = await recognise(path);
  const name = argument === STDIO ? 'stdin' : basename(path);
  if (!content.hasCompanions) return { path, name, content };
  const packed = open.adopt(await zipWithCompanions(path), (one) => one.close());
  return { path: packed.path, name: `${basename(path, extname(path))}.zip`, content };
}

async function spooled(io: Io, scratch: string): Promise<string> {
  const path = join(scratch, 'stdin');
  await pipeline(io.input(), createWriteStream(path));
  return path;
}
