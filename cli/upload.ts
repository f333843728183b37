import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OptionsInit } from 'got';
import { unreachable } from './client.ts';
import { Unreachable } from './errors.ts';
import { toError } from './refusal.ts';

/** Called with the number of bytes sent so far. */
export type Report = (bytes: number) => void;

export interface UploadSizes {
  /** Files up to this size in bytes are sent with one request. */
  onePiece: number;
  /** Size of a block in bytes. */
  block: number;
}

/** The protocol allows requests and blocks of up to 64 MiB. */
const SIZES: UploadSizes = { onePiece: 64 * 2 ** 20, block: 8 * 2 ** 20 };
const BLOCKS_AT_ONCE = 2;
const MAX_TRIES = 4;

/**
 * Uploads a local file to a blob address, streamed: small files with one request, others in blocks. Repeats failed
 * requests. Throws if the file becomes shorter meanwhile.
 */
export async function upload(path: string, address: string, report: Report, sizes = SIZES): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  /** Reads exactly `length` bytes. */
  const read = async (offset: number, length: number) => {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    if (bytesRead === length) return buffer;
    throw new Error(`${path} changed during the upload: it ended at byte ${offset + bytesRead} of ${size}.`);
  };
  if (size <= sizes.onePiece) {
    await withRetries(address, async () => {
      async function* body() {
        for (let at = 0; at < size; at += 2 ** 18) {
          yield await read(at, Math.min(2 ** 18, size - at));
          report(Math.min(size, at + 2 ** 18));
        }
      }
      const headers = { 'content-length': String(size), 'x-ms-blob-type': 'BlockBlob' };
      await put(address, { headers, body: size === 0 ? '' : body() });
    });
  } else await inBlocks(address, size, sizes.block, read, report);
}

async function inBlocks(
  address: string,
  size: number,
  length: number,
  read: (offset: number, length: number) => Promise<Buffer>,
  report: Report,
): Promise<void> {
  const ids = Array.from({ length: Math.ceil(size / length) }, (_, block) => blockId(block));
  const left = ids.entries();
  let sent = 0;
  const worker = async () => {
    for (const [block, id] of left) {
      const body = await read(block * length, Math.min(length, size - block * length));
      await withRetries(address, () => put(withQuery(address, { comp: 'block', blockid: id }), { body }));
      sent += body.length;
      report(sent);
    }
  };
  await Promise.all(Array.from({ length: BLOCKS_AT_ONCE }, worker));
  const list = ids.map((id) => `<Latest>${id}</Latest>`).join('');
  const body = `<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`;
  await withRetries(address, () => put(withQuery(address, { comp: 'blocklist' }), { body }));
}

/** Block ids of equal length, as the protocol requires. */
const blockId = (block: number) => Buffer.from(String(block).padStart(8, '0')).toString('base64');

function withQuery(address: string, query: Record<string, string>): string {
  const parsed = new URL(address);
  for (const [name, value] of Object.entries(query)) parsed.searchParams.set(name, value);
  return parsed.href;
}

async function put(address: string, options: Pick<OptionsInit, 'headers' | 'body'>): Promise<void> {
  const { default: got } = await import('got');
  const answer = await got(address, {
    method: 'PUT',
    throwHttpErrors: false,
    followRedirect: false,
    responseType: 'text',
    retry: { limit: 0 },
    timeout: { connect: 10_000, socket: 120_000 },
    ...options,
  } as const);
  if (answer.statusCode >= 300) throw toError(answer.statusCode, answer.body, new URL(address).origin);
}

/** Repeats a request, which is safe because it writes the same bytes again. */
async function withRetries(address: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const failure = unreachable(error, new URL(address).origin);
      const temporary = failure instanceof Unreachable || (failure as { status?: number }).status === 503;
      if (!temporary || attempt === MAX_TRIES) throw failure;
      await sleep(250 * 2 ** attempt);
    }
  }
}
