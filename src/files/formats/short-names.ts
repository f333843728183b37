/** Maximum length of a field name in a shapefile, in bytes. */
const maxBytes = 10;

/** Shapefile field names for these fields: at most ten bytes, and unique in any letter case. */
export function shortNames(names: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return names.map((name, n) => {
    const short = shortName(name, n, usedNames);
    usedNames.add(short.toLowerCase());
    return short;
  });
}

/**
 * Shapefile name of the `n`th field, truncated between characters; a name that is taken in any letter case gets a
 * number.
 */
function shortName(name: string, n: number, usedNames: ReadonlySet<string>): string {
  const clean = name.replace(/\p{Cc}/gu, '') || `FIELD_${n + 1}`;
  const first = truncateUtf8(clean, maxBytes);
  if (!usedNames.has(first.toLowerCase())) return first;
  for (let tries = 1; ; tries++) {
    const tail = `_${tries}`;
    const next = truncateUtf8(clean, maxBytes - tail.length) + tail;
    if (!usedNames.has(next.toLowerCase())) return next;
  }
}

/** The longest prefix of a text with at most as many bytes in UTF-8. */
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
