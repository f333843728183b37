/** Parts of a text that a person may search by: words, and numbers with a letter, such as `32n`. Lower case. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Words of a search, in lower case. */
export const searchWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * How well a text matches words of a search: 0 if it has each as a word of its own (`32` in `zone 32N`, too), more for beginnings of words
 * and parts of them. Undefined: a word does not occur.
 */
export function wordRank(words: readonly string[], text: string): number | undefined {
  const lower = text.toLowerCase();
  const own = wordsOf(text);
  let rank = 0;
  for (const word of words) {
    if (!lower.includes(word)) return undefined;
    // a word of several parts, such as `m3/s` or `eumUmeter`, counts by its parts
    for (const part of wordsOf(word)) {
      const isNumber = /^\d+$/.test(part);
      if (own.some((each) => each === part || (isNumber && /^\d+\p{L}$/u.test(each) && each.slice(0, -1) === part)))
        continue;
      rank += own.some((each) => each.startsWith(part)) ? 1 : 2;
    }
  }
  return rank;
}
