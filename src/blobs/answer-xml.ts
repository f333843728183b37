/**
 * Contents of all elements with this name. Sufficient for answers of S3, in which elements with one name are not
 * nested.
 */
export function texts(xml: string, name: string): string[] {
  const found: string[] = [];
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(open); at >= 0; ) {
    const end = xml.indexOf(close, at);
    if (end < 0) break;
    found.push(xml.slice(at + open.length, end));
    at = xml.indexOf(open, end);
  }
  return found;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an element without its entities. */
export const decodeEntities = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name ?? ''] ?? whole;
  });

/** A text for the content of an element. */
export const encodeEntities = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
