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

/** A local file that is read without a server. */
export interface LocalInput {
  path: string;
  /** For the receipt; of a `.shp` file that of the zip that is made of it and its companions. */
  name: string;
  content: Recognised;
}

/** The file that an argument names, `-` for stdin. What is made for it goes with `open`. */
export async function openLocal(io: Io, argument: string, open: AsyncDisposableStack): Promise<LocalInput> {
  if (isAddress(argument)) throw new UsageError('An address is fetched by the platform: see transfer import.');
  const { recognise, zipShapefile } = await import('./local-file.ts');
  const path = argument === TO_STDOUT ? await spooled(io, await temporaryFolder(tmpdir(), open)) : argument;
  await sizeOf(path);
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
