import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from '../io/buffers.ts';
import { withoutEntities } from '../io/xml-text.ts';

/** A tag of XML, and the text in front of it. */
export interface Tag {
  readonly kind: 'open' | 'empty' | 'close';
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Offset of `<`, and of the first byte after `>`. */
  readonly start: number;
  readonly end: number;
}

const chunk = 1 << 18;
/** Maximum length in bytes of a tag with its attributes. */
const longestTag = 1 << 16;
const [less, quote, apostrophe, greater] = [60, 34, 39, 62];

/**
 * Finds the tags of an XML file from front to back without loading the text between them into memory. Our own code
 * because the files hold gigabytes of numbers, also raw bytes, which no XML parser of npm skips. Knows neither document
 * types nor CDATA.
 */
export class XmlScanner {
  readonly #source: ByteSource;
  #bytes: Buffer = Buffer.alloc(0);
  #base = 0;
  #at = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The next tag; undefined at the end of the file. */
  async next(): Promise<Tag | undefined> {
    for (;;) {
      const start = await this.#find('<');
      if (start === undefined) return undefined;
      await this.#load(4);
      const head = this.#bytes.toString('latin1', this.#at, this.#at + 4);
      if (head.startsWith('<?')) await this.#skip('?>', start);
      else if (head === '<!--') await this.#skip('-->', start);
      else if (head.startsWith('<!'))
        throw new FormatError('The file has a DOCTYPE or CDATA, which a VTK file cannot have.', start);
      else return this.#tag(start);
    }
  }

  async #tag(start: number): Promise<Tag> {
    await this.#load(longestTag);
    let end = this.#at + 1;
    let quoted = 0;
    for (; end < this.#bytes.length; end++) {
      const c = this.#bytes[end]!;
      if (quoted !== 0) quoted = c === quoted ? 0 : quoted;
      else if (c === quote || c === apostrophe) quoted = c;
      else if (c === greater || c === less) break;
    }
    if (this.#bytes[end] !== greater || end - this.#at >= longestTag)
      throw new FormatError('A tag is not closed, or is longer than 64 kB.', start);
    const text = this.#bytes.toString('utf8', this.#at + 1, end);
    this.#at = end + 1;
    const kind = text.startsWith('/') ? 'close' : text.endsWith('/') ? 'empty' : 'open';
    const inner = kind === 'close' ? text.slice(1) : kind === 'empty' ? text.slice(0, -1) : text;
    const [name] = /^[^\s"'=]+/.exec(inner) ?? [];
    if (name === undefined) throw new FormatError('A tag has no name.', start);
    return { kind, name, attributes: parseAttributes(inner, name.length, start), start, end: this.#base + this.#at };
  }

  /** Moves to the position after the next occurrence of `mark`. */
  async #skip(mark: string, start: number): Promise<void> {
    if ((await this.#find(mark)) === undefined) throw new FormatError(`'${mark}' is missing.`, start);
    this.#at += mark.length;
  }

  /** Moves to the next occurrence of `mark` and returns its offset. */
  async #find(mark: string): Promise<number | undefined> {
    for (;;) {
      const found = this.#bytes.indexOf(mark, this.#at, 'latin1');
      if (found >= 0) {
        this.#at = found;
        return this.#base + found;
      }
      // The end of the chunk may hold the beginning of the mark.
      this.#at = Math.max(this.#at, this.#bytes.length - mark.length + 1);
      if (!(await this.#load(mark.length))) return undefined;
    }
  }

  /** Makes `length` bytes at the current position available; false when the file has fewer. */
  async #load(length: number): Promise<boolean> {
    if (this.#at + length <= this.#bytes.length) return true;
    const offset = this.#base + this.#at;
    if (this.#base + this.#bytes.length >= this.#source.size) return false;
    this.#bytes = await readBuffer(this.#source, offset, Math.max(length, chunk));
    this.#base = offset;
    this.#at = 0;
    return this.#bytes.length >= length;
  }
}

function parseAttributes(text: string, from: number, offset: number): Map<string, string> {
  const attributes = new Map<string, string>();
  const one = /\s+([^\s"'=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
  one.lastIndex = from;
  let end = from;
  for (let found = one.exec(text); found !== null; found = one.exec(text)) {
    attributes.set(found[1]!, withoutEntities(found[2] ?? found[3]!));
    end = one.lastIndex;
  }
  if (text.slice(end).trim() !== '') throw new FormatError('A tag contains something other than attributes.', offset);
  return attributes;
}
