import { z } from 'zod';

const MAX_NAME_LENGTH = 255;
/** Control characters, line and paragraph separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
/** White space and invisible characters. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Why a name of a project, folder or dataset is invalid, to be put behind the member's name. Undefined if the name is valid. */
export function wrongName(name: string): string | undefined {
  if (BLANK.test(name)) return 'must not be empty';
  if ([...name].length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return UNPRINTABLE.test(name) ? 'must not contain control characters' : undefined;
}

/** Name of a project, folder or dataset: any printable characters, including `/`. Leading and trailing spaces are removed. */
export const nameForm = () =>
  z
    .string()
    .trim()
    .superRefine((name, context) => {
      const message = wrongName(name);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

/**
 * Escapes a name for use in a path: `/` becomes `%2F`, a literal `%2F` becomes `%252F`, `%252F` becomes `%25252F` and so on, so that the
 * encoding is reversible. Nothing else is encoded. The SQL function `path_segment` does the same.
 */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

/** Reverses `pathSegment`. */
export const segmentName = (segment: string): string =>
  segment.replace(/%((?:25)*)2F/g, (_, escapes: string) => (escapes === '' ? '/' : `%${escapes.slice(2)}2F`));

export const pathText = (names: readonly string[]): string => names.map(pathSegment).join('/');
