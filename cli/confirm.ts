import { plain } from 'hydrofiles/terminal';
import { Declined } from './errors.ts';
import type { Io } from './io.ts';

export interface ConfirmOptions {
  /** `--yes`: skip the question. */
  yes?: boolean;
}

/** Asks before something is deleted; Enter alone means no. Throws `Declined` unless the answer is yes. */
export async function confirm(io: Io, question: string, { yes }: ConfirmOptions, kept = 'Nothing was deleted.') {
  if (!yes && !(await io.confirm(plain(question), 'Use --yes to confirm'))) throw new Declined(kept);
}

/** Asks before something is deleted for ever: shows `loss` and requires the name to be typed. */
export async function confirmByName(
  io: Io,
  loss: string,
  name: string,
  { yes }: ConfirmOptions,
  kept = 'Nothing was removed.',
) {
  if (yes) return;
  if (io.interactive) io.note(plain(loss));
  const typed = await io.ask(`Type the name '${plain(name)}' to go on:`, 'Use --yes to confirm');
  if (typed.trim() === plain(name).trim()) return;
  throw new Declined(typed.trim() === '' ? kept : `'${plain(typed)}' is not the name. ${kept}`);
}

/** `1 dataset`, `2 datasets`. */
export const pluralize = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;
