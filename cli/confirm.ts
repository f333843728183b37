import { Declined } from './errors.ts';
import type { Io } from './io.ts';
import { plain } from './table.ts';

export interface Confirmed {
  /** `--yes`: do not ask. */
  yes?: boolean;
}

/** Asks before something is destroyed: whoever only presses Enter keeps it. Throws `Declined` unless the answer is yes. */
export async function confirmed(io: Io, question: string, { yes }: Confirmed, kept = 'Nothing was deleted.') {
  if (!yes && !(await io.confirm(plain(question), 'give --yes'))) throw new Declined(kept);
}

/** The same of what nothing brings back: `loss` says what that is, and its name has to be typed. */
export async function confirmedByName(
  io: Io,
  loss: string,
  name: string,
  { yes }: Confirmed,
  kept = 'Nothing was removed.',
) {
  if (yes) return;
  if (io.interactive) io.note(plain(loss));
  const typed = await io.ask(`Type the name '${plain(name)}' to go on:`, 'give --yes');
  if (typed.trim() === plain(name).trim()) return;
  throw new Declined(typed.trim() === '' ? kept : `'${plain(typed)}' is not the name. ${kept}`);
}

/** `1 dataset`, `2 datasets`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;
