import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../errors.ts';

/**
 * The body, checked against the MD5 in `Content-MD5` or in the header `other`, if the client sent one. With a different
 * MD5 the stream throws
 * `Md5Mismatch` at its end, before the bytes are committed.
 */
export function checkedBody(
  headers: IncomingHttpHeaders,
  body: AsyncIterable<Uint8Array>,
  other?: string,
): AsyncIterable<Uint8Array> {
  const header = headers['content-md5'] ?? (other === undefined ? undefined : headers[other]);
  if (header === undefined) return body;
  const expected = String(header).trim();
  if (Buffer.from(expected, 'base64').length !== 16)
    throw invalid(`'${expected.slice(0, 100)}' is not an MD5 in base64. Send 16 bytes in base64.`, {
      code: 'InvalidMd5',
    });
  return withMd5Check(body, expected);
}

async function* withMd5Check(body: AsyncIterable<Uint8Array>, expected: string) {
  const hash = createHash('md5');
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('base64');
  if (found !== expected)
    throw invalid(`The MD5 of the received bytes is ${found}, not ${expected}. Send them again.`, {
      code: 'Md5Mismatch',
    });
}

/** Reads a short content into memory and returns it with its MD5 in base64. */
export async function readWithMd5(bytes: AsyncIterable<Uint8Array>): Promise<{ content: Buffer; md5: string }> {
  const content = Buffer.concat(await Array.fromAsync(bytes));
  return { content, md5: createHash('md5').update(content).digest('base64') };
}
