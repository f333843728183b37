import { isUtf8 } from 'node:buffer';
import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { findEncoding } from '../encoding.ts';

const chunk = 1 << 20;

/** The encoding of a text, and where the text begins behind a byte order mark. */
export interface TextForm {
  readonly encoding: string;
  readonly start: number;
}

/**
 * The encoding by the byte order mark, else as it is given, else UTF-8 if all bytes are valid, else Windows-1252.
 * @throws FormatError for bytes that are no text
 */
export async function readTextForm(source: ByteSource, given: string | undefined): Promise<TextForm> {
  const head = await source.read(0, 4096);
  const start = given === undefined || /^utf-?(?:8|16)/i.test(given) ? readMark(head) : undefined;
  if (start !== undefined) return start;
  if (given !== undefined) return { encoding: findEncoding(given)!.name, start: 0 };
  const zero = head.indexOf(0);
  if (zero >= 0) throw new FormatError('The file has zero bytes, so it is not a table of text.', zero);
  return { encoding: (await isAllUtf8(source)) ? 'utf-8' : 'windows-1252', start: 0 };
}

function readMark([a, b, c]: Uint8Array): TextForm | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', start: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', start: 2 };
  return a === 0xfe && b === 0xff ? { encoding: 'utf-16be', start: 2 } : undefined;
}

async function isAllUtf8(source: ByteSource): Promise<boolean> {
  for (let at = 0; at < source.size; ) {
    const bytes = await source.read(at, chunk);
    const atEnd = at + bytes.length >= source.size;
    const end = atEnd ? bytes.length : wholeCharacters(bytes);
    if (end === 0 || !isUtf8(bytes.subarray(0, end))) return false;
    at += end;
  }
  return true;
}

/** The length without a character that the end of the bytes cuts. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let end = bytes.length; end > bytes.length - 4 && end > 0; end--) {
    const byte = bytes[end - 1]!;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return end - 1;
  }
  return bytes.length;
}

/** The text in UTF-8, in pieces of about a megabyte that may end within a character. */
export async function* utf8(source: ByteSource, { encoding, start }: TextForm): AsyncGenerator<Buffer> {
  const decode = decoder(encoding);
  let next = source.read(start, chunk);
  for (let at = start; at < source.size; ) {
    const bytes = await next;
    if (bytes.length === 0) throw new Error(`The input ended at byte ${at} of ${source.size}.`);
    at += bytes.length;
    next = source.read(at, chunk);
    // If parsing this piece throws, nobody awaits the next read: do not report its failure as unhandled.
    next.catch(() => undefined);
    yield decode === undefined
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      : Buffer.from(decode(bytes, at >= source.size));
  }
}

/** Undefined for UTF-8, which needs none. */
function decoder(name: string): ((bytes: Uint8Array, isLast: boolean) => string) | undefined {
  if (name === 'utf-8') return undefined;
  if (name.startsWith('IBM')) {
    const { decode } = findEncoding(name)!;
    return decode;
  }
  const text = new TextDecoder(name);
  return (bytes, isLast) => text.decode(bytes, { stream: !isLast });
}
