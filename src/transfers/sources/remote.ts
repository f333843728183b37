import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'got';
import type { LogLevel } from 'hydrofiles';
import { writeFully } from 'hydrofiles/bytes';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../platform/net/outbound.ts';
import {
  ConnectionBroken,
  connectionError,
  makeDecoder,
  type RemoteRequest,
  type RemoteResponse,
  requestFile,
} from './remote-response.ts';

export interface RemoteLimits {
  outbound: Outbound;
  /** Maximum size in bytes. */
  maxSize: number;
  /** Milliseconds without a byte after which a connection is given up. */
  idleMs: number;
}

/** Free space in the folder of a transfer. */
export interface ScratchRoom {
  bytes: number;
  exceeded(): AppError;
}

export interface RemoteHooks {
  /** @param fraction 0 if the server does not send the size */
  progress(fraction: number): void;
  log(level: LogLevel, message: string): void;
  signal: AbortSignal;
  room: ScratchRoom;
}

/** Maximum number of consecutive connections with less than `PROGRESS_BYTES`; then the transfer backs off. */
const MAX_TRIES = 5;
const PROGRESS_BYTES = 2 ** 20;
const FIRST_PAUSE_MS = 250;

/** State of a download. */
interface Fetched {
  bytes: number;
  /** Size of the whole file, if the server sent it. */
  size?: number | undefined;
  /** Identifies the version of the file; absent: the download cannot be resumed. */
  validator?: string | undefined;
}

/**
 * Downloads a remote file to a new local one. Resumes after a broken connection if the server proves that the file is
 * unchanged; else starts again. Throws `unavailable` for errors that a later retry may cure, another `AppError` for
 * permanent ones, and the signal's reason. No message contains user, password or query of the address.
 */
export async function fetchRemote(source: URL, path: string, limits: RemoteLimits, hooks: RemoteHooks): Promise<void> {
  const { log, signal } = hooks;
  await using file = await open(path, 'wx', 0o600);
  const fetched: Fetched = { bytes: 0 };
  for (let failures = 0; ; ) {
    const before = fetched.bytes;
    try {
      await fetchOnce(source, file, fetched, limits, hooks);
      log('info', `Fetched ${fetched.bytes} bytes from ${source.host}.`);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ConnectionBroken)) throw error;
      failures = fetched.bytes >= before + PROGRESS_BYTES ? 1 : failures + 1;
      if (failures === MAX_TRIES) throw new AppError('unavailable', error.message);
      log('warning', error.message);
    }
    await sleep(FIRST_PAUSE_MS * 2 ** failures, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Downloads over one connection, from where the last one broke or from the start. */
async function fetchOnce(
  source: URL,
  file: FileHandle,
  fetched: Fetched,
  { outbound, maxSize, idleMs }: RemoteLimits,
  { progress, signal, room }: RemoteHooks,
): Promise<void> {
  const request: RemoteRequest = { outbound, idleMs, signal };
  const { bytes, validator } = fetched;
  if (bytes > 0 && validator !== undefined) request.from = { bytes, validator };
  const response = await requestFile(source, request);
  // takes precedence over the error of the stream that is abandoned because of it
  let writeError: unknown;
  try {
    const decoder = makeDecoder(response);
    if (!continues(response, fetched)) {
      await file.truncate(0);
      fetched.bytes = 0;
      fetched.size = decoder === undefined ? response.length : undefined;
      fetched.validator = decoder === undefined ? response.validator : undefined;
    }
    const check = (size: number) => {
      if (size > maxSize) throw new AppError('tooLarge', `The file at ${source.host} is larger than ${maxSize} bytes.`);
      if (size > room.bytes) throw room.exceeded();
    };
    check(fetched.size ?? 0);
    const take = async (chunk: Buffer) => {
      check(fetched.bytes + chunk.length);
      await write(file, chunk, fetched.bytes);
      fetched.bytes += chunk.length;
      progress(fetched.size ? fetched.bytes / fetched.size : 0);
    };
    const store = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        await take(chunk).catch((error) => {
          writeError = error;
          throw error;
        });
      }
    };
    await (decoder === undefined ? pipeline(response.stream, store) : pipeline(response.stream, decoder, store));
  } catch (error) {
    throw writeError ?? connectionError(error, response.host, fetched.bytes);
  } finally {
    discard(response.stream);
  }
  if (fetched.size !== undefined && fetched.bytes !== fetched.size)
    throw new ConnectionBroken(`${response.host} ended at byte ${fetched.bytes} of ${fetched.size}.`);
}

/** Whether the response continues the download; false: it is the whole file. Throws if it continues another version. */
function continues({ host, range, length, validator }: RemoteResponse, fetched: Fetched): boolean {
  if (range === undefined) return false;
  const sameFile =
    (validator === undefined || validator === fetched.validator) &&
    (range.size === undefined || fetched.size === undefined || range.size === fetched.size);
  if (range.start === fetched.bytes && sameFile) {
    fetched.size ??= range.size ?? (length === undefined ? undefined : fetched.bytes + length);
    return true;
  }
  fetched.validator = undefined;
  throw new ConnectionBroken(`${host} did not resume at byte ${fetched.bytes}. The download starts again.`);
}

const discard = (stream: Request) => void stream.destroy();

async function write(file: FileHandle, chunk: Buffer, position: number) {
  try {
    await writeFully(file, position, chunk);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new AppError('unavailable', 'The disk of the worker is full.', { retryAfter: 60 });
  }
}
