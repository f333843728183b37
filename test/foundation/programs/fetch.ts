import { openBlobStore } from '../../../src/blobs/open.ts';
import { AppError } from '../../../src/errors.ts';
import { Outbound } from '../../../src/platform/net/outbound.ts';
import { fetchRemote } from '../../../src/transfers/sources/remote.ts';

/** Fetches a file from a server in one of these ways. Prints the code of its error. */
const [kind = '', origin = '', path = ''] = process.argv.slice(2);
const { host } = new URL(origin);

async function fetchAs(): Promise<unknown> {
  if (kind === 'bucket') {
    const store = await openBlobStore(`s3://key:secret@${host}/bucket?tls=false`, '/nowhere');
    return store.fetch('dataset/file', path);
  }
  const limits = { outbound: new Outbound([host]), maxSize: 2 ** 20, idleMs: 60_000 };
  return fetchRemote(new URL(origin), path, limits, {
    progress() {},
    log() {},
    signal: new AbortController().signal,
    room: { bytes: 2 ** 20, exceeded: () => new AppError('unavailable', 'full') },
  });
}

await fetchAs().then(
  () => process.stdout.write('complete'),
  (error: NodeJS.ErrnoException) => process.stdout.write(error.code ?? error.message),
);
