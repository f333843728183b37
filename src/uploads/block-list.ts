import { AppError, invalid } from '../errors.ts';

/** 50,000 blocks, as blob clients know it, each about a hundred bytes. */
const MAX_BYTES = 8 * 2 ** 20;
const MAX_BLOCKS = 50_000;

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

export function parseBlockList(text: string): string[] {
  const wrong = (what: string) => invalid(`The block list is not valid: ${what}.`, { code: 'InvalidXmlDocument' });
  const open = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?<BlockList\s*(\/)?>/.exec(text);
  if (!open) throw wrong('it must be one <BlockList> element');
  const ids: string[] = [];
  let at = open[0].length;
  if (!open[1]) {
    const element = /\s*<(Latest|Uncommitted)>\s*([^<\s]*)\s*<\/\1>/y;
    for (;;) {
      element.lastIndex = at;
      const found = element.exec(text);
      if (!found) break;
      if (ids.length === MAX_BLOCKS) throw wrong(`more than ${MAX_BLOCKS} blocks`);
      ids.push(found[2] ?? '');
      at = element.lastIndex;
    }
    const close = /\s*<\/BlockList>/y;
    close.lastIndex = at;
    if (!close.test(text)) throw wrong(`expected <Latest> at character ${at}`);
    at = close.lastIndex;
  }
  if (text.slice(at).trim() !== '') throw wrong(`something follows at character ${at}`);
  return ids;
}
