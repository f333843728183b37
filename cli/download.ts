import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainResponse } from 'got';
import { needsName } from 'hydrofiles/command';
import { UsageError } from 'hydrofiles/terminal';
import { unreachable } from './client.ts';
import { Unreachable } from './errors.ts';
import { toError } from './refusal.ts';

const MAX_TRIES = 5;

export interface DownloadTarget {
  /** File or existing folder; undefined: the current folder. */
  path?: string;
  /** Replace an existing file. */
  force?: boolean;
}

/**
 * Downloads a blob address to a local file and returns its path. Writes to a temporary file beside it, which is renamed
 * at the end. Resumes after broken connections.
 * @param report called with the bytes so far and the whole size, if the server sends it
 */
export async function download(
  address: string,
  target: DownloadTarget,
  report: (bytes: number, size: number | undefined) => void,
): Promise<string> {
  const path = await choosePath(address, target);
  const aside = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  const file = await open(aside, 'wx').catch((error) => {
    throw new Error(`${path} cannot be written: ${error.message}`);
  });
  try {
    await fetchInto(file, address, report);
    await file.sync();
    await file.close();
    await rename(aside, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(aside, { force: true });
    throw error;
  }
  return path;
}

/** Downloads a blob address and passes its bytes in order to `write`. Resumes after broken connections. */
export async function downloadTo(address: string, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  let written = 0;
  const inOrder = async (chunk: Uint8Array, at: number) => {
    const fresh = chunk.subarray(Math.min(chunk.length, written - at));
    await write(fresh);
    written += fresh.length;
  };
  await fetchPieces(address, inOrder, () => {});
}

async function choosePath(address: string, target: DownloadTarget): Promise<string> {
  const { path = '.', force = false } = target;
  if (!(await needsName(target))) return path;
  const inside = join(path, await nameAt(address));
  await needsName({ path: inside, force });
  return inside;
}

/** File name from the server, without folders, so that it cannot lead elsewhere. */
export async function nameAt(address: string): Promise<string> {
  const base = new URL(address).origin;
  const { default: got } = await import('got');
  const answer = await got
    .head(address, { throwHttpErrors: false, followRedirect: false, timeout: { connect: 10_000, response: 30_000 } })
    .catch((error) => {
      throw unreachable(error, base);
    });
  if (answer.statusCode >= 300) throw toError(answer.statusCode, '', base);
  const name = basename(nameFrom(answer.headers['content-disposition'] ?? '').replaceAll('\\', '/'));
  if (/^\.*$/.test(name)) throw new UsageError('The server sends no name for this file. Use -o to name it.');
  return name;
}

/** File name of `Content-Disposition` (RFC 6266): `filename*` takes precedence over `filename`. */
function nameFrom(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined && !/%(?![0-9a-f]{2})/i.test(encoded)) return decodeURIComponent(encoded);
  const [, quoted, bare] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? bare?.trim() ?? '';
}

async function fetchInto(file: FileHandle, address: string, report: (bytes: number, size?: number) => void) {
  // a write on a disk that becomes full writes fewer bytes without an error; the next one throws
  const write = async (chunk: Uint8Array, at: number) => {
    for (let done = 0; done < chunk.length; )
      done += (await file.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
  };
  await file.truncate(await fetchPieces(address, write, report));
}

/** Returns the number of bytes. If the server cannot resume, `write` gets them again from the first. */
async function fetchPieces(
  address: string,
  write: (chunk: Uint8Array, at: number) => Promise<void>,
  report: (bytes: number, size?: number) => void,
): Promise<number> {
  const { default: got } = await import('got');
  let have = 0;
  let etag: string | undefined;
  for (let failures = 0; ; ) {
    const before = have;
    try {
      const stream = got.stream(address, {
        headers: {
          'accept-encoding': 'identity',
          ...(have > 0 && etag ? { range: `bytes=${have}-`, 'if-match': etag } : {}),
        },
        throwHttpErrors: false,
        // the platform may redirect to its object store; the redirect sends no credentials
        maxRedirects: 3,
        retry: { limit: 0 },
        timeout: { connect: 10_000, socket: 60_000 },
      });
      const [response] = (await once(stream, 'response')) as [PlainResponse];
      if (response.statusCode === 412)
        throw new Error(`The file at ${new URL(address).pathname} changed during the download.`);
      if (response.statusCode >= 300) {
        throw toError(response.statusCode, (await stream.toArray()).join(''), new URL(address).origin);
      }
      if (response.statusCode !== 206) have = 0;
      etag = response.headers.etag;
      const length = response.headers['content-length'];
      const size = length === undefined ? undefined : have + Number(length);
      report(have, size);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        await write(chunk, have);
        have += chunk.length;
        report(have, size);
      }
      if (size === undefined || have === size) return have;
      throw new Unreachable(`The connection to ${new URL(address).origin} ended at byte ${have} of ${size}.`);
    } catch (error) {
      const failure = unreachable(error, new URL(address).origin);
      failures = have > before ? 1 : failures + 1;
      if (!(failure instanceof Unreachable) || failures === MAX_TRIES) throw failure;
      await sleep(250 * 2 ** failures);
    }
  }
}
