import { AppError } from '../../errors.ts';

/** Maximum number of members of objects and elements of lists in a JSON text. */
const MAX_MEMBERS = 20_000;
/** Maximum nesting of lists and objects. Later code and Postgres process JSON recursively. */
const MAX_DEPTH = 500;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const isEnd = (code: number) => code === LIST_END || code === OBJECT_END;
const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/**
 * Checks how many members and levels a JSON text has, before it is parsed: both parsing and what follows take long for
 * millions of small values, but not for long ones. Takes a few ns per character. Does not check the syntax.
 * @throws AppError invalid
 */
export function checkSize(text: string, maxMembers = MAX_MEMBERS): void {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) members++;
    else if (code === LIST || code === OBJECT) {
      depth++;
      if (!isEnd(text.charCodeAt(skipString(text, at)))) members++;
    } else if (isEnd(code)) depth--;
    if (members > maxMembers) throw tooMany(maxMembers);
    if (depth > MAX_DEPTH) throw tooDeep();
  }
}

const tooMany = (maxMembers: number) =>
  new AppError('invalid', `The body has more than ${maxMembers} members of objects and elements of lists.`, {
    code: 'TooManyMembers',
  });
const tooDeep = () =>
  new AppError('invalid', `The body has more than ${MAX_DEPTH} levels of nested lists and objects.`, {
    code: 'MalformedJson',
  });

/** Index of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) break;
  }
  return at;
}

/** Index of the next character that is not blank. */
function skipString(text: string, start: number): number {
  let at = start + 1;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}
