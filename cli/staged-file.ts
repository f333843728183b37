import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
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
  /** Puts a local file to its place, and tells how far it is. */
  send?(address: string): Promise<void>;
}

/** A local file, or the address of a remote one, which the platform fetches itself. */
export async function givenFile(io: Io, file: string): Promise<GivenFile> {
  if (!isAddress(file)) {
    return {
      name: basename(file),
      address: async () =>
        (await io.api.call<{ data: string }>('GET', '/api/conversion/transfer/upload-url')).body.data,
      send: (address) => uploadShown(io, file, address),
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
