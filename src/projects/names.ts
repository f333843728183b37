import { z } from 'zod';

const LONGEST_NAME = 255;
/** Control characters, line and paragraph separators, halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
/** White space, and characters that no font shows. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** What is wrong with the name of a project, folder or dataset, to put behind the member's name; undefined: nothing. */
export function wrongName(name: string): string | undefined {
  if (BLANK.test(name)) return 'must not be empty';
  if ([...name].length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  return UNPRINTABLE.test(name) ? 'must not contain control characters' : undefined;
}

/** Name of a project, folder or dataset: any printable characters, `/` too. Spaces around it are dropped. */
export const nameForm = () =>
  z
    .string()
    .trim()
    .superRefine((name, context) => {
      const message = wrongName(name);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

/**
 * A name as it stands in a path: `/` is `%2F`, and a `%2F` of the name is `%252F` (a `%252F` of the name is `%25252F`, and so on, so
 * that each segment is one name). Nothing else is encoded. `path_segment` in the database does the same.
 */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

/** The name that a segment of a path stands for. */
export const segmentName = (segment: string): string =>
  segment.replace(/%((?:25)*)2F/g, (_, escapes: string) => (escapes === '' ? '/' : `%${escapes.slice(2)}2F`));

export const pathText = (names: readonly string[]): string => names.map(pathSegment).join('/');
