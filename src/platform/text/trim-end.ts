/**
 * Removes characters from the end while `matches` is true. Linear time: a regular expression such as `/x+$/` takes
 * quadratic time for long runs of `x` inside the text.
 */
export function trimEndWhile(text: string, matches: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0) {
    const pair = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
    const start = end - (pair ? 2 : 1);
    if (!matches(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}

export const withoutTrailingSlashes = (url: string) => trimEndWhile(url, (character) => character === '/');
