import { FormatError } from '../../errors.ts';

/** A bracketed item of well-known text (WKT) in any dialect: `PARAMETER["false_easting",500000]`. */
export interface WktNode {
  /** In upper case. */
  keyword: string;
  /** Quoted strings, numbers, bare words (directions such as `north`) and nested items, in order. */
  values: (string | number | WktNode)[];
}

/** Limits of a WKT. The largest WKT of the EPSG registry has 15 kB and 8 levels. */
const maxLength = 100_000;
const maxDepth = 32;

/**
 * Parses WKT 1 or WKT 2, with square or round brackets.
 * @throws FormatError with the position of the first error
 */
export function parseWkt(text: string): WktNode {
  if (text.length > maxLength) {
    throw new FormatError(
      `The WKT of the coordinate system has ${text.length} characters. The maximum is ${maxLength}.`,
    );
  }
  // Sticky patterns; none of them backtracks, so parsing takes linear time.
  const space = /[\s\uFEFF]*/y;
  const token = /"((?:[^"]|"")*)"|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])|[A-Za-z_]\w*|[[\](),]/y;
  let at = 0;
  const next = (): { word: string; quoted?: string } => {
    space.lastIndex = at;
    space.test(text);
    token.lastIndex = space.lastIndex;
    const found = token.exec(text);
    if (found === null) throw unreadable(text, space.lastIndex);
    at = token.lastIndex;
    return found[1] === undefined ? { word: found[0] } : { word: '"', quoted: found[1].replaceAll('""', '"') };
  };

  const item = (keyword: string, depth: number): WktNode => {
    if (depth > maxDepth)
      throw new FormatError(`The WKT of the coordinate system is nested deeper than ${maxDepth} levels.`);
    const node: WktNode = { keyword: keyword.toUpperCase(), values: [] };
    for (;;) {
      const { word, quoted } = next();
      if (quoted !== undefined) node.values.push(quoted);
      else if (/^[-+.\d]/.test(word)) node.values.push(Number(word));
      else if (/^\w/.test(word)) {
        const before = at;
        const after = next().word;
        if (after === '[' || after === '(') node.values.push(item(word, depth + 1));
        else {
          at = before;
          node.values.push(word);
        }
      } else throw unreadable(text, at - 1);
      const separator = next().word;
      if (separator === ']' || separator === ')') return node;
      if (separator !== ',') throw unreadable(text, at - 1);
    }
  };

  const { word } = next();
  const bracket = next().word;
  if (!/^[A-Za-z]/.test(word) || (bracket !== '[' && bracket !== '(')) throw unreadable(text, 0);
  const root = item(word, 1);
  if (!/^[\s\0\uFEFF]*$/.test(text.slice(at))) throw unreadable(text, at);
  return root;
}

function unreadable(text: string, at: number): FormatError {
  const piece = JSON.stringify(text.slice(at, at + 40));
  return new FormatError(`The WKT of the coordinate system cannot be read at character ${at}: ${piece}.`);
}

/** The first item directly inside `node` with one of these keywords. */
export function child(node: WktNode, ...keywords: string[]): WktNode | undefined {
  for (const value of node.values) {
    if (typeof value === 'object' && keywords.includes(value.keyword)) return value;
  }
  return undefined;
}

/** Writes the tree as WKT on one line; items for which `keep` is false are left out. */
export function writeWkt(node: WktNode, keep: (node: WktNode) => boolean = () => true): string {
  const values = node.values
    .filter((value) => typeof value !== 'object' || keep(value))
    .map((value) => {
      if (typeof value === 'object') return writeWkt(value, keep);
      return typeof value === 'string' && !/^(north|south|east|west|up|down|unspecified)$/i.test(value)
        ? `"${value.replaceAll('"', '""')}"`
        : String(value);
    });
  return `${node.keyword}[${values.join(',')}]`;
}
