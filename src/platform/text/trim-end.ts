/**
 * A text without the characters at its end that are `gone`. An expression such as `/x+$/` would look at a run of them that does not stand at
 * the end again from each of its characters: minutes for a megabyte.
 */
export function trimEndWhile(text: string, gone: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0) {
    const pair = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
    const start = end - (pair ? 2 : 1);
    if (!gone(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}

export const withoutTrailingSlashes = (url: string) => trimEndWhile(url, (character) => character === '/');
