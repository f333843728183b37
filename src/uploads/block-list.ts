import { hash } from 'node:crypto';
import type { NamedBlock } from '../blobs/blobs.ts';
import { AppError, invalid } from '../errors.ts';

/** Enough for 50,000 blocks, the limit of the protocol, of about 160 bytes each. */
const MAX_BYTES = 8 * 2 ** 20;
const MAX_BLOCKS = 50_000;
const KINDS = ['Latest', 'Uncommitted'] as const;
/** XML white space, as character codes. */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Parses the body of `?comp=blocklist`: `<BlockList><Latest>id</Latest>…</BlockList>`, with ids in the order of the
 * blob. `Uncommitted` means the same as `Latest`; `Committed` is an error, because blocks are not kept after the
 * commit.
 */
export async function readBlockList(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_BYTES)
      throw new AppError('tooLarge', `The block list has more than ${MAX_BYTES} bytes, the maximum.`);
    parts.push(part);
  }
  return parseBlockList(Buffer.concat(parts).toString('utf8'));
}

const TYPES = ['all', 'committed', 'uncommitted'] as const;

/**
 * The answer to a read of `comp=blocklist`: the blocks that a client has sent and not committed, so that it can send
 * the others. Committed ones are not kept: their list is empty, as that of a blob that was written as a whole.
 * @param type `blocklisttype`; default: `committed`
 */
export function blockListXml(blocks: AsyncIterable<NamedBlock>, type: string | null): AsyncIterable<string> {
  const asked = TYPES.find((one) => one === (type ?? 'committed').toLowerCase());
  if (asked === undefined)
    throw invalid(`blocklisttype=${String(type).slice(0, 100)} is not one of ${TYPES.join(', ')}.`, {
      code: 'InvalidQueryParameterValue',
    });
  return xmlOf(blocks, asked);
}

async function* xmlOf(blocks: AsyncIterable<NamedBlock>, type: (typeof TYPES)[number]) {
  yield '<?xml version="1.0" encoding="utf-8"?><BlockList>';
  if (type !== 'uncommitted') yield '<CommittedBlocks />';
  if (type !== 'committed') {
    yield '<UncommittedBlocks>';
    // ids are base64: nothing in them needs to be escaped
    for await (const { id, size } of blocks) yield `<Block><Name>${id}</Name><Size>${size}</Size></Block>`;
    yield '</UncommittedBlocks>';
  }
  yield '</BlockList>';
}

/** Ends the names of blobs that were made of this list. */
export const markOf = (ids: readonly string[]) => `~${hash('sha256', ids.join(' ')).slice(0, 32)}`;

/** Linear-time parser. A regular expression could take quadratic time on long runs of white space. */
function parseBlockList(text: string): string[] {
  const malformed = (reason: string) =>
    invalid(`The block list is invalid: ${reason}.`, { code: 'InvalidXmlDocument' });
  const ids: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const skipBlanks = () => {
    while (BLANKS.has(text.charCodeAt(at))) at++;
  };
  /** Consumes this text if it is next. */
  const take = (expected: string) => {
    if (!text.startsWith(expected, at)) return false;
    at += expected.length;
    return true;
  };
  skipBlanks();
  if (take('<?xml')) {
    const end = text.indexOf('?>', at);
    if (end < 0) throw malformed('its XML declaration does not end');
    at = end + 2;
    skipBlanks();
  }
  if (!take('<BlockList')) throw malformed('it must be one <BlockList> element');
  skipBlanks();
  if (!take('/>')) {
    if (!take('>')) throw malformed('it must be one <BlockList> element');
    for (skipBlanks(); !take('</BlockList>'); skipBlanks()) {
      const kind = KINDS.find((name) => take(`<${name}>`));
      if (kind === undefined) throw malformed(`expected <Latest> at character ${at}`);
      if (ids.length === MAX_BLOCKS) throw malformed(`it has more than ${MAX_BLOCKS} blocks`);
      skipBlanks();
      const start = at;
      while (at < text.length && text[at] !== '<' && !BLANKS.has(text.charCodeAt(at))) at++;
      ids.push(text.slice(start, at));
      skipBlanks();
      if (!take(`</${kind}>`)) throw malformed(`expected </${kind}> at character ${at}`);
    }
  }
  skipBlanks();
  if (at < text.length) throw malformed(`something follows at character ${at}`);
  return ids;
}
