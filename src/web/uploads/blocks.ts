import { to } from '../client/address.ts';
import { api } from '../client/api.ts';
import { ApiError } from '../client/problem.ts';
import { crc32 } from './zip.ts';

const MIB = 2 ** 20;
const BLOCK = 8 * MIB;
/** Of all uploads together: HTTP/1.1 gives a browser six connections. */
const AT_ONCE = 3;
const PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000];
/** A grant that ends within this time is renewed before it is used. */
const RENEW_MS = 30 * 60_000;

/** A place that is gone: the upload begins again at a new one. */
export class PlaceGone extends Error {}

/** The address of a place, renewed when it ends. */
export interface Place {
  url: string;
  /** Keeps a renewed address. */
  renewed(url: string): void;
}

interface Sending {
  readonly signal: AbortSignal;
  /** Bytes that are there, and those among them that were there before. */
  progress(sent: number, before: number): void;
  /** Tells that the connection is lost, or is back. */
  waiting(isWaiting: boolean): void;
}

/** Sends a small content, or the start of a large one, as a whole. */
export const putWhole = (place: Place, content: Blob, sending: Sending): Promise<void> =>
  persist(place, sending, async () => {
    const digest = await digestHeader(content);
    await put(await fresh(place), '', content, { ...digest, 'x-ms-blob-type': 'BlockBlob' }, sending.signal, (loaded) =>
      sending.progress(loaded, 0),
    );
  });

/** Sends the blocks of a content that are not there yet, three at a time, and commits them. */
export async function putBlocks(place: Place, content: Blob, sending: Sending): Promise<void> {
  const count = Math.max(1, Math.ceil(content.size / BLOCK));
  const ids = Array.from({ length: count }, (_, index) => btoa(String(index).padStart(8, '0')));
  const sizeOf = (index: number) => Math.min(BLOCK, content.size - index * BLOCK);
  const present = await persist(place, sending, () => listBlocks(place, sending.signal));
  // a list that was committed before the answer came
  if (present.committed === content.size) return;
  const isThere = (index: number) => present.sizes.get(ids[index]!) === sizeOf(index);
  const missing = ids.map((_, index) => index).filter((index) => !isThere(index));
  const before = content.size - missing.reduce((sum, index) => sum + sizeOf(index), 0);
  const loaded = new Map<number, number>();
  const tell = () => sending.progress(before + [...loaded.values()].reduce((sum, bytes) => sum + bytes, 0), before);
  tell();
  async function send(index: number) {
    const block = content.slice(index * BLOCK, index * BLOCK + sizeOf(index));
    await persist(place, sending, () =>
      inTurn(async () => {
        sending.signal.throwIfAborted();
        const digest = await digestHeader(block);
        const query = `&comp=block&blockid=${encodeURIComponent(ids[index]!)}`;
        await put(await fresh(place), query, block, digest, sending.signal, (bytes) => {
          loaded.set(index, bytes);
          tell();
        });
      }),
    );
    loaded.set(index, block.size);
    tell();
  }
  const queue = missing.values();
  const lane = async () => {
    for (const index of queue) await send(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const list = `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;
  await persist(place, sending, async () =>
    put(await fresh(place), '&comp=blocklist', new Blob([list]), {}, sending.signal, () => {}),
  );
}

async function listBlocks(place: Place, signal: AbortSignal) {
  const url = `${await fresh(place)}&comp=blocklist&blocklisttype=uncommitted`;
  const answer = await fetch(url, { signal, credentials: 'omit' }).catch(unreachable(signal));
  if (!answer.ok) throw refusal(answer.status, await answer.text());
  const text = await answer.text();
  const blocks = text.matchAll(/<Name>([^<]*)<\/Name><Size>(\d+)<\/Size>/g);
  const size = answer.headers.get('x-ms-blob-content-length');
  return {
    sizes: new Map([...blocks].map(([, id = '', bytes]) => [id, Number(bytes)])),
    committed: size === null ? undefined : Number(size),
  };
}

/** Tries until it works, unless it never can: over a lost connection, a server that restarts, an ended grant. */
async function persist<T>(place: Place, sending: Sending, work: () => Promise<T>): Promise<T> {
  let ended = false;
  for (let failures = 0; ; failures++) {
    try {
      if (ended) await renew(place);
      ended = false;
      const value = await work();
      if (failures > 0) sending.waiting(false);
      return value;
    } catch (error) {
      sending.signal.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 403 && failures < 3) {
        ended = true;
        continue;
      }
      if (error.status === 404 || error.status === 403) throw new PlaceGone(error.message);
      const passes = error.status === 0 || error.status === 429 || error.status >= 500;
      if (!passes && !(error.code === 'DigestMismatch' && failures < 5)) throw error;
      sending.waiting(true);
      await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!, sending.signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** The address on this host, whatever host the platform names. */
async function fresh(place: Place): Promise<string> {
  const ends = new URL(place.url).searchParams.get('se');
  if (ends !== null && Date.parse(ends) - Date.now() < RENEW_MS) await renew(place);
  const { pathname, search } = new URL(place.url);
  return to(`${pathname.slice(pathname.lastIndexOf('/api/blob/'))}${search}`);
}

async function renew(place: Place): Promise<void> {
  try {
    const { data } = await api('POST /api/conversion/transfer/upload-url/renew', { body: { uploadUrl: place.url } });
    place.url = data;
    place.renewed(data);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw new PlaceGone(error.message);
    throw error;
  }
}

/** With the progress of the bytes, which `fetch` does not tell. */
function put(
  url: string,
  query: string,
  body: Blob,
  headers: Record<string, string>,
  signal: AbortSignal,
  progress: (loaded: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.open('PUT', url + query);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onloadend = () => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(signal.reason);
      else if (request.status >= 200 && request.status < 300) resolve();
      else reject(refusal(request.status, request.responseText));
    };
    request.send(body);
  });
}

function refusal(status: number, text: string): ApiError {
  try {
    return new ApiError(status, JSON.parse(text));
  } catch {
    return new ApiError(status, status === 0 ? { code: 'Offline', detail: 'The server cannot be reached.' } : {});
  }
}

const unreachable = (signal: AbortSignal) => () => {
  signal.throwIfAborted();
  throw refusal(0, '');
};

let running = 0;
const turns: (() => void)[] = [];

/** At most three requests of all uploads at once. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => turns.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = turns.shift();
    if (next === undefined) running--;
    else next();
  }
}

/** Browsers digest on https and on this computer only. */
async function digestHeader(content: Blob): Promise<Record<string, string>> {
  if (crypto.subtle === undefined) return {};
  const digest = await crypto.subtle.digest('SHA-256', await content.arrayBuffer());
  return { 'content-digest': `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:` };
}

/** Tells files of one name, size and time from each other: a digest of the first and the last MiB. */
export async function endsOf(content: Blob): Promise<string> {
  const ends = new Blob([content.slice(0, MIB), content.slice(Math.max(0, content.size - MIB))]);
  return (await digestHeader(ends))['content-digest'] ?? `crc-32=${await crc32(ends)}`;
}
