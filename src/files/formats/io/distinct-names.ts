import { distinctName } from '../../data/distinct-name.ts';

/** The names; one that an earlier one has already gets the ending `_2`, `_3` … */
export function distinctNames(names: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return names.map((name) => distinctName(name, usedNames));
}
