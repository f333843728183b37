import { SaxesParser } from 'saxes';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';

/** Elements and texts of an XML file. Names are without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Also the content of CDATA sections. */
  text(text: string): void;
  close(): void;
}

const piece = 1 << 18;
/** Maximum number of bytes of a text, comment or tag, which the parser holds in memory. */
const longestText = 1 << 28;
const deepest = 256;

/**
 * Reads an XML file from front to back; yields after each piece of it.
 * @throws FormatError if it is not well-formed, or has a document type, so that entities cannot be declared
 */
export async function* parseXml(source: ByteSource, handler: XmlHandler, signal: AbortSignal): AsyncGenerator<number> {
  const encoding = await encodingOf(source);
  const decoder = new TextDecoder(encoding, { fatal: true });
  const parser = new SaxesParser({ xmlns: false });
  let depth = 0;
  let lastEvent = 0;
  let at = 0;
  const refuse = (what: string): never => {
    throw new FormatError(`Line ${parser.line}: ${what}`);
  };
  parser.on('error', ({ message }) => refuse(message.replace(/^\d+:\d+: /, '').slice(0, 200)));
  parser.on('doctype', () => refuse('The file has a document type (DTD), which is not read. Remove it.'));
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > deepest) refuse(`Elements are nested more than ${deepest} deep.`);
    lastEvent = at;
    handler.open(localName(name), attributes as Record<string, string>);
  });
  parser.on('closetag', () => {
    depth--;
    lastEvent = at;
    handler.close();
  });
  parser.on('text', (text) => handler.text(text));
  parser.on('cdata', (text) => handler.text(text));
  for (; at < source.size; at += piece) {
    signal.throwIfAborted();
    if (at - lastEvent > longestText) refuse(`A text or tag has more than ${longestText} bytes.`);
    const bytes = await source.read(at, piece);
    const text = tryDecode(decoder, bytes, { stream: true });
    if (text === undefined) throw await invalidText(source, encoding, at);
    parser.write(text);
    yield at + bytes.length;
  }
  const rest = tryDecode(decoder, new Uint8Array());
  if (rest === undefined) throw await invalidText(source, encoding, source.size);
  parser.write(rest);
  parser.close();
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** By the byte order mark, else as the declaration says, else UTF-8. */
async function encodingOf(source: ByteSource): Promise<string> {
  const head = Buffer.from(await source.read(0, 256));
  const wide = head.length >= 2 ? head.readUInt16BE(0) : 0;
  if (wide === 0xfeff || wide === 0x003c) return 'utf-16be';
  if (wide === 0xfffe || wide === 0x3c00) return 'utf-16le';
  if (head.toString('latin1', 0, 3) === '\xef\xbb\xbf') return 'utf-8';
  const [, label = 'utf-8'] =
    /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})/.exec(head.toString('latin1')) ?? [];
  try {
    const { encoding } = new TextDecoder(label);
    // In UTF-16 the declaration itself would have two bytes per letter.
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    throw new FormatError(`The encoding '${label}' of the file is not known.`, 0);
  }
}

/** Undefined for bytes that are no text in the encoding. */
function tryDecode(decoder: TextDecoder, bytes: Uint8Array, options?: { stream: boolean }): string | undefined {
  try {
    return decoder.decode(bytes, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** Reads the file again, up to the piece that is no text, for its first byte that is none. */
async function invalidText(source: ByteSource, encoding: string, failed: number): Promise<FormatError> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let at = 0; at < failed; at += piece) decoder.decode(await source.read(at, piece), { stream: true });
  const bytes = await source.read(failed, piece);
  const invalid = bytes.findIndex(
    (_, n) => tryDecode(decoder, bytes.subarray(n, n + 1), { stream: true }) === undefined,
  );
  return new FormatError(
    `The bytes are no text in the encoding ${encoding}. The XML declaration must name the encoding of the file.`,
    failed + Math.max(invalid, 0),
  );
}
