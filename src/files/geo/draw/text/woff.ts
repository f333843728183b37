import { inflateSync } from 'node:zlib';

/** A closed outline: alternating x and y of its points, in units of the em, y up. */
export type Outline = Float64Array;

export interface Glyph {
  /** Distance to the next glyph, in units of the em. */
  readonly advance: number;
  readonly outlines: readonly Outline[];
}

/** Number of line segments per quadratic curve. */
const segments = 4;

/** A TrueType font in a WOFF 1.0 file (W3C). Trusts its bytes: fonts come with the program. */
export class WoffFont {
  readonly #tables: ReadonlyMap<string, Buffer>;
  readonly #glyphs = new Map<number, Glyph>();
  readonly #glyphOfCode: (code: number) => number;
  readonly #em: number;
  readonly #longOffsets: boolean;
  readonly #advances: number;

  constructor(file: Buffer) {
    this.#tables = readTables(file);
    const head = this.#table('head');
    this.#em = head.readUInt16BE(18);
    this.#longOffsets = head.readInt16BE(50) === 1;
    this.#advances = this.#table('hhea').readUInt16BE(34);
    this.#glyphOfCode = characterMap(this.#table('cmap'));
  }

  /** Undefined for a character that the font does not have. */
  glyph(code: number): Glyph | undefined {
    const number = this.#glyphOfCode(code);
    if (number === 0) return undefined;
    const known = this.#glyphs.get(number);
    if (known !== undefined) return known;
    const advance = this.#table('hmtx').readUInt16BE(4 * Math.min(number, this.#advances - 1)) / this.#em;
    const outlines = this.#outlines(number).map((points) => curved(points, this.#em));
    const glyph = { advance, outlines };
    this.#glyphs.set(number, glyph);
    return glyph;
  }

  #table(tag: string): Buffer {
    const table = this.#tables.get(tag);
    if (table === undefined) throw new Error(`The font has no table ${tag}.`);
    return table;
  }

  #outlines(number: number): Point[][] {
    const loca = this.#table('loca');
    const [start, end] = [number, number + 1].map((n) =>
      this.#longOffsets ? loca.readUInt32BE(4 * n) : 2 * loca.readUInt16BE(2 * n),
    ) as [number, number];
    if (start === end) return [];
    const glyf = this.#table('glyf').subarray(start, end);
    const count = glyf.readInt16BE(0);
    return count >= 0 ? simpleOutlines(glyf, count) : this.#compositeOutlines(glyf);
  }

  /** A composite glyph, such as a letter and its accent. */
  #compositeOutlines(glyf: Buffer): Point[][] {
    const all: Point[][] = [];
    for (let at = 10, flags = more; (flags & more) !== 0; ) {
      flags = glyf.readUInt16BE(at);
      const number = glyf.readUInt16BE(at + 2);
      const words = (flags & 1) !== 0;
      const [dx, dy] = words
        ? [glyf.readInt16BE(at + 4), glyf.readInt16BE(at + 6)]
        : [glyf.readInt8(at + 4), glyf.readInt8(at + 5)];
      at += words ? 8 : 6;
      const scale = (n: number) => glyf.readInt16BE(at + 2 * n) / 0x4000;
      let [a, b, c, d] = [1, 0, 0, 1];
      if ((flags & 8) !== 0) [a, d, at] = [scale(0), scale(0), at + 2];
      else if ((flags & 0x40) !== 0) [a, d, at] = [scale(0), scale(1), at + 4];
      else if ((flags & 0x80) !== 0) [a, b, c, d, at] = [scale(0), scale(1), scale(2), scale(3), at + 8];
      for (const outline of this.#outlines(number))
        all.push(outline.map(({ x, y, on }) => ({ x: a * x + c * y + dx, y: b * x + d * y + dy, on })));
    }
    return all;
  }
}

/** Flag of a composite glyph: another component follows. */
const more = 0x20;

interface Point {
  readonly x: number;
  readonly y: number;
  /** On the outline; else a control point of a quadratic curve. */
  readonly on: boolean;
}

function readTables(file: Buffer): Map<string, Buffer> {
  const tables = new Map<string, Buffer>();
  for (let n = 0; n < file.readUInt16BE(12); n++) {
    const at = 44 + 20 * n;
    const [offset, packed, size] = [4, 8, 12].map((more) => file.readUInt32BE(at + more)) as [number, number, number];
    const bytes = file.subarray(offset, offset + packed);
    tables.set(file.toString('latin1', at, at + 4), packed < size ? inflateSync(bytes) : bytes);
  }
  return tables;
}

/** Unicode to number of the glyph, 0 for none: format 4, which all fonts for the Basic Multilingual Plane have. */
function characterMap(cmap: Buffer): (code: number) => number {
  for (let n = 0; n < cmap.readUInt16BE(2); n++) {
    const table = cmap.subarray(cmap.readUInt32BE(8 + 8 * n));
    if (table.readUInt16BE(0) === 4) return (code) => glyphNumber(table, code);
  }
  throw new Error('The font has no map of characters in format 4.');
}

function glyphNumber(table: Buffer, code: number): number {
  const size = table.readUInt16BE(6);
  for (let at = 14; at < 14 + size; at += 2) {
    if (table.readUInt16BE(at) < code) continue;
    const first = table.readUInt16BE(at + 2 + size);
    if (first > code) return 0;
    const delta = table.readInt16BE(at + 2 + 2 * size);
    const place = at + 2 + 3 * size;
    const range = table.readUInt16BE(place);
    const number = range === 0 ? code : table.readUInt16BE(place + range + 2 * (code - first));
    return number === 0 ? 0 : (number + delta) & 0xffff;
  }
  return 0;
}

function simpleOutlines(glyf: Buffer, count: number): Point[][] {
  const ends = Array.from({ length: count }, (_, n) => glyf.readUInt16BE(10 + 2 * n));
  const points = (ends.at(-1) ?? -1) + 1;
  let at = 10 + 2 * count;
  at += 2 + glyf.readUInt16BE(at);
  const flags: number[] = [];
  while (flags.length < points) {
    const flag = glyf[at++]!;
    const times = (flag & 8) === 0 ? 1 : 1 + glyf[at++]!;
    for (let n = 0; n < times; n++) flags.push(flag);
  }
  const coordinates = (short: number, same: number) => {
    let value = 0;
    return flags.map((flag) => {
      if ((flag & short) !== 0) value += (flag & same) === 0 ? -glyf[at++]! : glyf[at++]!;
      else if ((flag & same) === 0) {
        value += glyf.readInt16BE(at);
        at += 2;
      }
      return value;
    });
  };
  const x = coordinates(2, 16);
  const y = coordinates(4, 32);
  return ends.map((end, n) => {
    const start = n === 0 ? 0 : ends[n - 1]! + 1;
    return flags.slice(start, end + 1).map((flag, k) => ({ x: x[start + k]!, y: y[start + k]!, on: (flag & 1) !== 0 }));
  });
}

const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, on: true });

/** Curves as lines. Between two control points lies an implied point. */
function curved(points: readonly Point[], em: number): Outline {
  const all = points.flatMap((point, n) => {
    const next = points[(n + 1) % points.length]!;
    return point.on || next.on ? [point] : [point, between(point, next)];
  });
  const first = Math.max(
    0,
    all.findIndex(({ on }) => on),
  );
  const line: number[] = [];
  for (let n = 0; n < all.length; n++) {
    const [here, control, end] = [0, 1, 2].map((k) => all[(first + n + k) % all.length]!) as [Point, Point, Point];
    line.push(here.x / em, here.y / em);
    if (control.on) continue;
    n++;
    for (let k = 1; k < segments; k++) {
      const t = k / segments;
      const [p, q, r] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
      line.push((p * here.x + q * control.x + r * end.x) / em, (p * here.y + q * control.y + r * end.y) / em);
    }
  }
  return Float64Array.from(line);
}
