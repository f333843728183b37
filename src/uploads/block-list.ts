import { AppError, invalid } from '../errors.ts';

/** 50,000 blocks, as blob clients know it, each about a hundred bytes. */
const MAX_BYTES = 8 * 2 ** 20;
const MAX_BLOCKS = 50_000;
const KINDS = ['Latest', 'Uncommitted'] as const;
/** White space of XML, as character codes. */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Reads the body of `?comp=blocklist`: `<BlockList><Latest>id</Latest>…</BlockList>`, ids in the order of the blob. `Uncommitted` is
 * read as `Latest`; `Committed` is refused, for blocks are forgotten once they were committed.
 */
export async function readBlockList(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_BYTES) throw new AppError('tooLarge', `A block list has at most ${MAX_BYTES} bytes.`);
    parts.push(part);
  }
  return parseBlockList(Buffer.concat(parts).toString('utf8'));
}

/** One pass over the text, whatever it holds: no regular expression, which could look at a run of blanks again from each of them. */
function parseBlockList(text: string): string[] {
  const wrong = (what: string) => invalid(`The block list is not valid: ${what}.`, { code: 'InvalidXmlDocument' });
  const ids: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const skipBlanks = () => {
    while (BLANKS.has(text.charCodeAt(at))) at++;
  };
  /** Steps over these words if they are next. */
  const take = (words: string) => {
    if (!text.startsWith(words, at)) return false;
    at += words.length;
    return true;
  };
  skipBlanks();
  if (take('<?xml')) {
    const end = text.indexOf('?>', at);
    if (end < 0) throw wrong('its XML declaration does not end');
    at = end + 2;
    skipBlanks();
  }
  if (!take('<BlockList')) throw wrong('it must be one <BlockList> element');
  skipBlanks();
  if (!take('/>')) {
    if (!take('>')) throw wrong('it must be one <BlockList> element');
    for (skipBlanks(); !take('</BlockList>'); skipBlanks()) {
      const kind = KINDS.find((name) => take(`<${name}>`));
      if (kind === undefined) throw wrong(`expected <Latest> at character ${at}`);
      if (ids.length === MAX_BLOCKS) throw wrong(`it has more than ${MAX_BLOCKS} blocks`);
      skipBlanks();
      const start = at;
      while (at < text.length && text[at] !== '<' && !BLANKS.has(text.charCodeAt(at))) at++;
      ids.push(text.slice(start, at));
      skipBlanks();
      if (!take(`</${kind}>`)) throw wrong(`expected </${kind}> at character ${at}`);
    }
  }
  skipBlanks();
  if (at < text.length) throw wrong(`something follows at character ${at}`);
  return ids;
}
