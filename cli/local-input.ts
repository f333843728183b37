import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TO_STDOUT } from './download.ts';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import type { Recognised } from './local-file.ts';
import { isAddress, sizeOf } from './staged-file.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A local input file of a command that needs no server. */
export interface LocalInput {
  path: string;
  /** Name for the receipt. A `.shp` file is zipped with its companions, so its name ends in `.zip`. */
  name: string;
  content: Recognised;
}

/** Opens the file of an argument; `-` is stdin. `open` deletes the temporary files. */
export async function openLocal(io: Io, argument: string, open: AsyncDisposableStack): Promise<LocalInput> {
  if (isAddress(argument))
    throw new UsageError('Only local files can be read without a server. Use transfer import for an address.');
  const { mainFile, recognise, zipShapefile } = await import('./local-file.ts');
  const given = argument === TO_STDOUT ? await spooled(io, await temporaryFolder(tmpdir(), open)) : argument;
  await sizeOf(given);
  const path = await mainFile(given);
  const content = await recognise(path);
  const name = argument === TO_STDOUT ? 'stdin' : basename(path);
  if (!content.isShp) return { path, name, content };
  const packed = open.adopt(await zipShapefile(path), (one) => one.close());
  return { path: packed.path, name: `${basename(path, extname(path))}.zip`, content };
}

async function spooled(io: Io, scratch: string): Promise<string> {
  const path = join(scratch, 'stdin');
  await pipeline(io.input(), createWriteStream(path));
  return path;
}
