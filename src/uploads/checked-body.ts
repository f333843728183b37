import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../errors.ts';

/**
 * The bytes of a body whose MD5 the client may have announced: in `Content-MD5`, or else in the header `other`. Bytes with another sum throw
 * `Md5Mismatch` at their end, before whoever stores them takes them for whole.
 */
export function checkedBody(
  headers: IncomingHttpHeaders,
  body: AsyncIterable<Uint8Array>,
  other?: string,
): AsyncIterable<Uint8Array> {
  const given = headers['content-md5'] ?? (other === undefined ? undefined : headers[other]);
  if (given === undefined) return body;
  const wanted = String(given).trim();
  if (Buffer.from(wanted, 'base64').length !== 16)
    throw invalid(`'${wanted.slice(0, 100)}' is no MD5 in base64.`, { code: 'InvalidMd5' });
  return summed(body, wanted);
}

async function* summed(body: AsyncIterable<Uint8Array>, wanted: string) {
  const hash = createHash('md5');
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('base64');
  if (found !== wanted) throw invalid(`The MD5 of the bytes is ${found}, not ${wanted}.`, { code: 'Md5Mismatch' });
}

/** A short content with its MD5 in base64. */
export async function md5Of(bytes: AsyncIterable<Uint8Array>): Promise<{ content: Buffer; md5: string }> {
  const content = Buffer.concat(await Array.fromAsync(bytes));
  return { content, md5: createHash('md5').update(content).digest('base64') };
}
