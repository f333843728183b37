import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'got';
import { AppError } from '../../errors.ts';
import type { LogLevel } from '../../formats/define.ts';
import type { Outbound } from '../../platform/net/outbound.ts';
import type { Answer, Asking } from './remote-response.ts';
import { ask, Broken, broken, decoderOf } from './remote-response.ts';

export interface RemoteLimits {
  outbound: Outbound;
  /** Bytes. */
  largest: number;
  /** Milliseconds without a byte after which a connection is given up. */
  idleMs: number;
}

/** What may still come into the folder of a transfer. */
export interface ScratchRoom {
  bytes: number;
  exceeded(): AppError;
}

export interface RemoteHooks {
  /** @param fraction 0 where the server does not tell the size */
  progress(fraction: number): void;
  log(level: LogLevel, message: string): void;
  signal: AbortSignal;
  room: ScratchRoom;
}

/** Connections in a row that brought less than `MUCH`, before the transfer is left for later. */
const TRIES = 5;
const MUCH = 2 ** 20;
const FIRST_PAUSE_MS = 250;

/** What has come so far. */
interface Fetched {
  bytes: number;
  /** Of the whole file, where the server told it. */
  size?: number | undefined;
  /** What a server must still have for the rest to belong to what came; absent: only from the start. */
  validator?: string | undefined;
}

/**
 * Fetches a remote file to a new local one, streamed. A connection that breaks is taken up where it broke, if the server proves that the
 * file is still the same, else from the start. Throws `unavailable` for what may be better later, another `AppError` for what will not,
 * and the signal's reason. No sentence tells user, password or query of the address.
 */
export async function fetchRemote(source: URL, path: string, limits: RemoteLimits, hooks: RemoteHooks): Promise<void> {
  const { log, signal } = hooks;
  const file = await open(path, 'wx', 0o600);
  const fetched: Fetched = { bytes: 0 };
  try {
    for (let failures = 0; ; ) {
      const before = fetched.bytes;
      try {
        await fetchOn(source, file, fetched, limits, hooks);
        log('info', `Fetched ${fetched.bytes} bytes from ${source.host}.`);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Broken)) throw error;
        failures = fetched.bytes >= before + MUCH ? 1 : failures + 1;
        if (failures === TRIES) throw new AppError('unavailable', error.message);
        log('warning', error.message);
      }
      await sleep(FIRST_PAUSE_MS * 2 ** failures, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } finally {
    await file.close();
  }
}

/** One connection: from where the last one broke, or from the start. */
async function fetchOn(
  source: URL,
  file: FileHandle,
  fetched: Fetched,
  { outbound, largest, idleMs }: RemoteLimits,
  { progress, signal, room }: RemoteHooks,
): Promise<void> {
  const asking: Asking = { outbound, idleMs, signal };
  const { bytes, validator } = fetched;
  if (bytes > 0 && validator !== undefined) asking.from = { bytes, validator };
  const answer = await ask(source, asking);
  // a stream that is left in its middle has an error of its own to tell
  let own: unknown;
  try {
    const decoder = decoderOf(answer);
    if (!goesOn(answer, fetched)) {
      await file.truncate(0);
      fetched.bytes = 0;
      fetched.size = decoder === undefined ? answer.length : undefined;
      fetched.validator = decoder === undefined ? answer.validator : undefined;
    }
    const check = (size: number) => {
      if (size > largest) throw new AppError('tooLarge', `The file at ${source.host} is larger than ${largest} bytes.`);
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
          own = error;
          throw error;
        });
      }
    };
    await (decoder === undefined ? pipeline(answer.stream, store) : pipeline(answer.stream, decoder, store));
  } catch (error) {
    throw own ?? broken(error, answer.host, fetched.bytes);
  } finally {
    discard(answer.stream);
  }
  if (fetched.size !== undefined && fetched.bytes !== fetched.size)
    throw new Broken(`${answer.host} ended at byte ${fetched.bytes} of ${fetched.size}.`);
}

/** Whether the answer is the rest of what came; false: it is the whole. */
function goesOn({ host, range, length, validator }: Answer, fetched: Fetched): boolean {
  if (range === undefined) return false;
  const sameFile =
    (validator === undefined || validator === fetched.validator) &&
    (range.size === undefined || fetched.size === undefined || range.size === fetched.size);
  if (range.start === fetched.bytes && sameFile) {
    fetched.size ??= range.size ?? (length === undefined ? undefined : fetched.bytes + length);
    return true;
  }
  fetched.validator = undefined;
  throw new Broken(`${host} did not go on at byte ${fetched.bytes}; it is fetched from the start.`);
}

const discard = (stream: Request) => void stream.destroy();

async function write(file: FileHandle, chunk: Buffer, position: number) {
  try {
    await file.write(chunk, 0, chunk.length, position);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new AppError('unavailable', 'The disk of the worker is full.', { retryAfter: 60 });
  }
}
