/** Longest name of a field in a shapefile. */
const longest = 10;

/** The names that fields have in a shapefile: ten bytes, and unique in any letter case. */
export function shortNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, n) => {
    const short = shortName(name, n, taken);
    taken.add(short.toLowerCase());
    return short;
  });
}

/** Name of the `n`th field, cut on the border of a character; the same name again, in any letter case, gets a number. */
export function shortName(name: string, n: number, taken: ReadonlySet<string>): string {
  const clean = name.replace(/\p{Cc}/gu, '') || `FIELD_${n + 1}`;
  const first = truncateUtf8(clean, longest);
  if (!taken.has(first.toLowerCase())) return first;
  for (let tries = 1; ; tries++) {
    const tail = `_${tries}`;
    const next = truncateUtf8(clean, longest - tail.length) + tail;
    if (!taken.has(next.toLowerCase())) return next;
  }
}

export function truncateUtf8(text: string, bytes: number): string {
  let cut = '';
  let left = bytes;
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    cut += character;
  }
  return cut;
}
