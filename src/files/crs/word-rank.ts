/** Parts of a text that a person may search by: words, and numbers with a letter, such as `32n`. Lower case. */
const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Words of a search, in lower case. */
export const searchWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether a word of a text is a part of a search; `32` finds `32n`. */
const isWord = (part: string, word: string): boolean =>
  word === part || (/^\d+$/.test(part) && /^\d+\p{L}$/u.test(word) && word.slice(0, -1) === part);

/** Number of search words that a text has in another order or apart: `zone 3` in `3-degree zone 1` is one. */
export function scattered(words: readonly string[], text: string): number {
  const own = splitWords(text);
  const parts = words.flatMap(splitWords);
  const together = (first: string, second: string) =>
    own.some((each, n) => isWord(first, each) && isWord(second, own[n + 1] ?? ''));
  return parts.slice(1).filter((part, n) => !together(parts[n] as string, part)).length;
}

/**
 * How well a text matches words of a search: 0 if it has each as a word of its own (`32` in `zone 32N`, too), more for
 * beginnings of words and parts of them. Undefined: a word does not occur.
 */
export function wordRank(words: readonly string[], text: string): number | undefined {
  const lower = text.toLowerCase();
  const own = splitWords(text);
  let rank = 0;
  for (const word of words) {
    if (!lower.includes(word)) return undefined;
    // a word of several parts, such as `m3/s` or `eumUmeter`, counts by its parts
    for (const part of splitWords(word)) {
      if (own.some((each) => isWord(part, each))) continue;
      rank += own.some((each) => each.startsWith(part)) ? 1 : 2;
    }
  }
  return rank;
}
