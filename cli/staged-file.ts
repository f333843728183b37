import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import type { Recognised } from './local-file.ts';
import { bytes } from './table.ts';
import { upload } from './upload.ts';

/** Size of a local file in bytes; what is no file is a mistake of the command line. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return found.size;
  throw new UsageError(found ? `${file} is no file.` : `There is no file ${file}.`);
}

const isAddress = (file: string) => /^https?:\/\//i.test(file);

/** Looks for the local file that an argument `file` names before anything is asked of the server. */
export const checkFileFirst = (command: Command): Command =>
  command.hook('preAction', async () => {
    const at = command.registeredArguments.findIndex((argument) => argument.name() === 'file');
    const file: string = command.processedArgs[at];
    if (!isAddress(file)) await sizeOf(file);
  });

/** A file that a transfer is to read. */
export interface GivenFile {
  name: string;
  /** As `uploadUrl` of a start; a local file gets a place. */
  address(): Promise<string>;
  /** What a local file is by its content. */
  content?: Recognised;
  /** Does something with a local file as it is sent; a `.shp` file is zipped with its companions for that. */
  with?<T>(work: (path: string) => Promise<T>): Promise<T>;
}

/** A local file, or the address of a remote one, which the platform fetches itself. */
export async function givenFile(io: Io, file: string): Promise<GivenFile> {
  if (!isAddress(file)) {
    // loaded only here: formats are much code for commands that need none
    const { recognise, zipShapefile } = await import('./local-file.ts');
    const content = await recognise(file);
    const place = '/api/conversion/transfer/upload-url';
    return {
      name: content.isShp ? `${basename(file, extname(file))}.zip` : basename(file),
      address: async () => (await io.api.call<{ data: string }>('GET', place)).body.data,
      content,
      async with(work) {
        if (!content.isShp) return work(file);
        const packed = await zipShapefile(file);
        try {
          return await work(packed.path);
        } finally {
          await packed.close();
        }
      },
    };
  }
  // what was given may hold a password and is not repeated
  const url = URL.parse(file);
  if (!url) throw new UsageError('The address cannot be read: it should look like https://host/path/file.tif.');
  return { name: lastSegment(url.pathname) || url.hostname, address: async () => file };
}

function lastSegment(path: string): string {
  const segment = basename(path);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Puts a local file to an address, with a bar. */
export async function uploadShown(io: Io, file: string, address: string): Promise<void> {
  const size = await sizeOf(file);
  const progress = io.progress('Uploading ');
  try {
    await upload(file, address, (sent) => progress.report(size === 0 ? 1 : sent / size, bytes(sent)));
  } finally {
    progress.end();
  }
}
