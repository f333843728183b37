import { type EumItem, type EumUnit, eumItems, eumUnit, eumUnits } from 'hydrofiles/data';
import { searchWords, wordRank } from 'hydrofiles/text';

export interface EumFilter {
  /** Words that must all occur. */
  text?: string | undefined;
  /** Identifier, name or symbol, in a usual spelling. */
  name?: string | undefined;
}

/** EUM items that match, the best match first. */
export const findItems = (filter: EumFilter) =>
  found(eumItems(), ({ identifier, name }) => [name, identifier], filter).map(({ units, ...item }: EumItem) => ({
    ...item,
    ...(units === 'any' ? {} : { units: units.flatMap((code) => eumUnit(code)?.identifier ?? []) }),
  }));

/** EUM units that match, the best match first. */
export const findUnits = (filter: EumFilter): EumUnit[] =>
  found(eumUnits(), ({ identifier, name, symbol }) => [symbol, name, identifier], filter);

function found<T>(all: readonly T[], namesOf: (one: T) => string[], { text = '', name }: EumFilter): T[] {
  const words = searchWords(text);
  const searched = spelling(text);
  return all
    .filter((one) => name === undefined || isCalled(name, namesOf(one)))
    .flatMap((one) => {
      const names = namesOf(one);
      const isExact = words.length > 0 && isCalled(text, names);
      const rank = isExact ? -1 : rankOf(words, searched, names);
      return rank === undefined ? [] : [{ one, rank }];
    })
    .sort((one, other) => one.rank - other.rank)
    .map(({ one }) => one);
}

/** Names that have the words before those that begin so, and short ones before longer ones. */
function rankOf(words: readonly string[], searched: string, names: readonly string[]): number | undefined {
  const ranks = names.flatMap((name) => {
    const rank = wordRank(words, name) ?? (searched !== '' && spelling(name).includes(searched) ? 5 : undefined);
    return rank === undefined ? [] : [rank + Math.min(name.length, 99) / 100];
  });
  const together = ranks.length > 0 ? Math.min(...ranks) : wordRank(words, names.join(' '));
  return words.length === 0 ? 0 : together;
}

const isCalled = (text: string, names: readonly string[]): boolean => {
  const searched = spelling(text);
  return names.some((name) => spelling(name) === searched || spelling(name.replace(/^eum[IU]/, '')) === searched);
};

/** Words of units in other spellings. */
const SAME: Record<string, string> = {
  sec: 's',
  second: 's',
  seconds: 's',
  min: 'minute',
  h: 'hour',
  hr: 'hour',
  hours: 'hour',
  d: 'day',
  days: 'day',
  yr: 'year',
  ft: 'feet',
  foot: 'feet',
  in: 'inch',
  metre: 'meter',
  metres: 'meter',
  meters: 'meter',
  litre: 'liter',
  degree: 'deg',
  celsius: 'c',
  fahrenheit: 'f',
  kelvin: 'k',
};

/** One text for all spellings of a name: `m3/s`, `m³/s` and `m^3/s`. Letter case counts for nothing. */
const spelling = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll('°', ' deg ')
    .replaceAll('%', ' percent ')
    .replace(/[µμ]/g, ' mu ')
    .toLowerCase()
    .replace(/[a-z]+/g, (word) => SAME[word] ?? word)
    .replace(/[^\p{L}\p{N}/.-]+/gu, '');
