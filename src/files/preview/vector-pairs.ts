import { eumItem } from '../data/eum/eum.ts';
import type { Item } from '../data/item.ts';

/** Words of a component along true east. */
const eastward: readonly (readonly [RegExp, string])[] = [
  [/\beastward\b|(?<=_|^)eastward(?=_|$)/i, 'northward'],
  [/\beast\b/i, 'north'],
  [/\bzonal\b/i, 'meridional'],
];

/** Words of the eastward (x) component, and what stands for them in the name of the northward (y) one. */
const words: readonly (readonly [RegExp, string])[] = [
  ...eastward,
  [/(?<![\p{L}\d])p(?= flux)/iu, 'q'],
  [/(?<![\p{L}\d])u(?![\p{L}])/iu, 'v'],
  [/(?<![\p{L}\d])x(?![\p{L}\d])/iu, 'y'],
  [/(?<=vel|velocity|speed|flux|current|wind|stress|force)x(?![\p{L}\d])/iu, 'y'],
  [/^u(?=\d|o$|a$|as$|wnd$|wind$|vel)/i, 'v'],
];

/** The item of the y component for each one of an x component, by number. */
export function vectorPairs(items: readonly Item[]): Map<number, number> {
  const pairs = new Map<number, number>();
  for (const [n, item] of items.entries()) {
    const found = namesOf(item).flatMap((name) => partnersOf(name));
    if (found.length === 0) continue;
    const partner = items.findIndex(
      (other, m) => m !== n && other.unit === item.unit && namesOf(other).some((name) => found.includes(fold(name))),
    );
    if (partner >= 0) pairs.set(n, partner);
  }
  return pairs;
}

/** Whether an x component is along true east, not along an axis of the grid or the coordinate system. */
export const pointsEast = ({ name = '', geographicAxes }: Item): boolean =>
  geographicAxes === true || eastward.some(([pattern]) => pattern.test(name));

/** The name of an item; without components in it, that of its quantity. */
const namesOf = ({ name = '', eum }: Item): string[] => {
  const quantity = eum === undefined ? undefined : eumItem(eum.item)?.name;
  return quantity === undefined ? [name] : [name, quantity];
};

const fold = (name: string) => name.trim().toLowerCase();

function partnersOf(name: string): string[] {
  // Coordinates are no components.
  if (/^[xy]$/i.test(name.trim())) return [];
  return words.flatMap(([pattern, other]) => (pattern.test(name) ? [fold(name.replace(pattern, other))] : []));
}
