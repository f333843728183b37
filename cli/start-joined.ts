import { inBatch } from 'hydrofiles/terminal';
import type { Summary } from '../src/transfers/queries.ts';
import type { Io } from './io.ts';
import { type InputFile, openInputFile } from './staged-file.ts';
import { type FileRequest, followOrPrintId, noteCosts, type StartOptions, showDryRun } from './start-transfer.ts';
import { upload } from './upload.ts';

/** Maximum number of addresses in an answer. */
const ADDRESSES = 100;

/**
 * Starts one transfer that joins all files. Makes a dry run before the upload, so that mistakes show first. A file that
 * cannot be sent ends it before the start.
 */
export async function startJoined(
  io: Io,
  path: string,
  { file: _, ...rest }: FileRequest,
  given: readonly string[],
  { parallel, watch, dryRun }: StartOptions & { parallel: number },
): Promise<void> {
  const files: InputFile[] = [];
  for (const one of given) files.push(await openInputFile(io, one));
  const addresses = await addressesFor(io, files);
  const uploadUrls = files.map(({ name, with: isLocal }, n) => ({
    originalFileName: name,
    // the path alone names an upload; ten thousand signatures would be megabytes
    uploadUrl: isLocal === undefined ? addresses[n]! : addresses[n]!.replace(/\?.*$/s, ''),
  }));
  const body = { ...rest, uploadUrls };
  if (dryRun) return showDryRun(io, path, body, { estimate: undefined });
  await noteCosts(io, path, body);
  await uploadAll(io, files, addresses, parallel);
  await followOrPrintId(io, await io.api.call<Summary>('POST', path, { body }), watch);
}

/** Addresses of the files: of local ones new upload addresses, many with one request. */
async function addressesFor(io: Io, files: readonly InputFile[]): Promise<string[]> {
  const left = files.filter((file) => file.with !== undefined).length;
  const issued: string[] = [];
  while (issued.length < left) {
    const count = Math.min(ADDRESSES, left - issued.length);
    const { body } = await io.api.call<{ data: { url: string }[] }>('GET', '/api/raw/staging-urls', {
      query: { count },
    });
    issued.push(...body.data.map(({ url }) => url));
  }
  const next = issued.values();
  return Promise.all(files.map((file) => (file.with === undefined ? file.address() : next.next().value!)));
}

async function uploadAll(io: Io, files: readonly InputFile[], addresses: readonly string[], parallel: number) {
  const progress = io.progress(`Uploading ${files.length} files`);
  let sent = 0;
  try {
    await inBatch(
      files.map(({ name }) => name),
      async (name, n) => {
        await files[n]!.with?.((local) => upload(local, addresses[n]!, () => {}));
        progress.report(++sent / files.length, name);
      },
      { parallel, ends: () => true },
    );
  } finally {
    progress.end();
  }
}
