import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type AppError, invalid } from '../errors.ts';

/**
 * The body, checked against the digests that the client sent: `Content-Digest` (RFC 9530), and the MD5 in `Content-MD5`
 * or in the header `other`. With another digest the stream throws `DigestMismatch` or `Md5Mismatch` at its end, before
 * the bytes are committed.
 */
export function checkedBody(
  headers: IncomingHttpHeaders,
  body: AsyncIterable<Uint8Array>,
  other?: string,
): AsyncIterable<Uint8Array> {
  const digested = withDigestChecks(headers['content-digest'], body);
  const header = headers['content-md5'] ?? (other === undefined ? undefined : headers[other]);
  if (header === undefined) return digested;
  const expected = String(header).trim();
  if (Buffer.from(expected, 'base64').length !== 16)
    throw invalid(`'${expected.slice(0, 100)}' is not an MD5 in base64. Send 16 bytes in base64.`, {
      code: 'InvalidMd5',
    });
  return withCheck(digested, 'md5', (found) =>
    found === expected
      ? undefined
      : invalid(`The MD5 of the received bytes is ${found}, not ${expected}. Send them again.`, {
          code: 'Md5Mismatch',
        }),
  );
}

/** Algorithms of `Content-Digest`, by the names of Node. Others are ignored, as RFC 9530 lets recipients do. */
const DIGESTS = new Map([
  ['sha-256', { algorithm: 'sha256', bytes: 32 }],
  ['sha-512', { algorithm: 'sha512', bytes: 64 }],
]);

/**
 * Of repeated members the last one counts (RFC 9651, 4.2.2), so that a long header does not hash the body many times.
 * @param header `Content-Digest`: a dictionary such as `sha-256=:…base64…:`
 */
function withDigestChecks(
  header: string | string[] | undefined,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const members = new Map<string, string>();
  for (const member of String(header ?? '').split(',')) {
    const [name = '', ...rest] = member.trim().split('=');
    members.set(name.toLowerCase(), rest.join('='));
  }
  let checked = body;
  for (const [name, known] of DIGESTS) {
    const value = members.get(name);
    if (value === undefined) continue;
    const expected = Buffer.from(value.slice(1, -1), 'base64');
    if (!value.startsWith(':') || !value.endsWith(':') || expected.length !== known.bytes)
      throw invalid(
        `Content-Digest '${name}=${value.slice(0, 150)}' is not ${name} of ${known.bytes} bytes in base64 between colons.`,
        { code: 'InvalidDigest' },
      );
    const wanted = expected.toString('base64');
    checked = withCheck(checked, known.algorithm, (found) =>
      found === wanted
        ? undefined
        : invalid(`The ${name} of the received bytes is ${found}, not ${wanted}. Send them again.`, {
            code: 'DigestMismatch',
          }),
    );
  }
  return checked;
}

/** @param refuse the error for the digest of all bytes in base64, if it is wrong */
async function* withCheck(
  body: AsyncIterable<Uint8Array>,
  algorithm: string,
  refuse: (found: string) => AppError | undefined,
) {
  const hash = createHash(algorithm);
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  const error = refuse(hash.digest('base64'));
  if (error) throw error;
}

/** Reads a short content into memory and returns it with its MD5 in base64. */
export async function readWithMd5(bytes: AsyncIterable<Uint8Array>): Promise<{ content: Buffer; md5: string }> {
  const content = Buffer.concat(await Array.fromAsync(bytes));
  return { content, md5: createHash('md5').update(content).digest('base64') };
}
