import { withoutBidiControls } from 'hydrofiles/text';
import { z } from 'zod';
import { wrongChosenName } from '../http/rules/chosen-names.ts';

const MAX_NAME_LENGTH = 255;
/** Control characters, line and paragraph separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
/** White space and invisible characters. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * Why a name of a project, folder or dataset is invalid, to be put behind the member's name. Undefined if the name is
 * valid.
 */
export function wrongName(name: string): string | undefined {
  if (BLANK.test(name)) return 'must not be empty';
  if ([...name].length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return UNPRINTABLE.test(name) ? 'must not contain control characters' : undefined;
}

/** The same for a new name: existing ones may have been chosen before there was this rule. */
export const wrongNewName = (name: string): string | undefined => wrongName(name) ?? wrongChosenName(name);

/**
 * Name of a project, folder or dataset: any printable characters, including `/`. Leading and trailing spaces are
 * removed.
 */
export const nameForm = () => checkedName(z.string().trim());

/** The name of a file, which may become that of its dataset: cleaned, not refused. */
export const fileNameForm = () => checkedName(z.string().overwrite(withoutBidiControls).trim());

const checkedName = (form: z.ZodString) =>
  form.superRefine((name, context) => {
    const message = wrongNewName(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/**
 * Escapes a name for use in a path: `/` becomes `%2F`, a literal `%2F` becomes `%252F`, `%252F` becomes `%25252F` and
 * so on, so that the encoding is reversible. Nothing else is encoded. The SQL function `path_segment` does the same.
 */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

/** Reverses `pathSegment`. */
export const segmentName = (segment: string): string =>
  segment.replace(/%((?:25)*)2F/g, (_, escapes: string) => (escapes === '' ? '/' : `%${escapes.slice(2)}2F`));

export const pathText = (names: readonly string[]): string => names.map(pathSegment).join('/');
