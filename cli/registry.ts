import type { Noun } from './noun.ts';
import { DATA } from './nouns/data.ts';
import { MACHINE } from './nouns/machine.ts';
import { OPERATIONS } from './nouns/operations.ts';
import { PEOPLE } from './nouns/people.ts';

/** All nouns, in the order of `--help`, which shows them by section. */
export const NOUNS: readonly Noun[] = [...DATA, ...PEOPLE, ...OPERATIONS, ...MACHINE];
