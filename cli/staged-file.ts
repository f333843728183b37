import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import { isAddress, mainFile, measureSize, type Recognised, recognise, zipWithCompanions } from 'hydrofiles/command';
import { bytes, UsageError } from 'hydrofiles/terminal';
import type { TextAnswer } from '../src/http/rules/forms.ts';
import type { Io } from './io.ts';
import { cleanName } from './paths.ts';
import { upload } from './upload.ts';

/** Checks that the local file of the argument `file` exists, before any request. */
export const checkFileFirst = (command: Command): Command =>
  command.hook('preAction', async () => {
    const at = command.registeredArguments.findIndex((argument) => argument.name() === 'file');
    const file: string = command.processedArgs[at];
    if (!isAddress(file)) await measureSize(file);
  });

/** The input file of a transfer. */
export interface InputFile {
  name: string;
  /** `uploadUrl` of a start. For a local file, requests an upload address. */
  address(): Promise<string>;
  /** Format of a local file by its content. */
  content?: Recognised;
  /** Calls `work` with the local file to send: for a `.shp` or `.tab` file, a temporary zip with its companions. */
  with?<T>(work: (path: string) => Promise<T>): Promise<T>;
}

/** Accepts a local file, or the address of a remote file, which the platform downloads itself. */
export async function openInputFile(io: Io, given: string): Promise<InputFile> {
  if (!isAddress(given)) {
    await measureSize(given);
    const file = await mainFile(given);
    const content = await recognise(file);
    const place = '/api/conversion/transfer/upload-url';
    return {
      name: cleanName(content.hasCompanions ? `${basename(file, extname(file))}.zip` : basename(file)),
      address: async () => (await io.api.call<TextAnswer>('GET', place)).body.data,
      content,
      async with(work) {
        if (!content.hasCompanions) return work(file);
        const packed = await zipWithCompanions(file);
        try {
          return await work(packed.path);
        } finally {
          await packed.close();
        }
      },
    };
  }
  // the message does not repeat the address, which may contain a password
  const url = URL.parse(given);
  if (!url) throw new UsageError('The address is invalid. Use one such as https://host/path/file.tif.');
  return { name: cleanName(lastSegment(url.pathname)) || url.hostname, address: async () => given };
}

function lastSegment(path: string): string {
  const segment = basename(path);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Uploads a local file to an address, with a progress bar. */
export async function uploadWithProgress(io: Io, file: string, address: string): Promise<void> {
  const size = await measureSize(file);
  const progress = io.progress('Uploading ');
  try {
    await upload(file, address, (sent) => progress.report(size === 0 ? 1 : sent / size, bytes(sent)));
  } finally {
    progress.end();
  }
}
