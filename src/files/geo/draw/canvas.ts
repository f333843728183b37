import { encodePng } from './png.ts';
import { glyphsOf, textWidth, type Weight } from './text/lettering.ts';

export type Colour = readonly [red: number, green: number, blue: number];

/** Alternating x and y of points, in pixels from the upper left corner. */
export type Points = ArrayLike<number>;

export interface TextStyle {
  /** Height of the em in pixels. */
  readonly size: number;
  readonly colour: Colour;
  readonly weight?: Weight;
  /** Alignment of the text: which end of it is at x. */
  readonly align?: 'left' | 'middle' | 'right';
  /** The text runs upwards, rotated by 90°. */
  readonly upward?: boolean;
}

/** Clipping rectangle in pixels; the right and lower borders are exclusive. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A picture with antialiased edges: a shape's colour is blended by the share of the pixel that the shape covers. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
  /** Colour before anything is drawn; undefined: transparent. */
  readonly ground: Colour | undefined;
  /** Pixels outside of it are not drawn. */
  clip: Frame;
  /** Coverage of pixels by the shape that is being drawn. */
  readonly #cover: Float32Array;
  /** Two more than the width: the coverage of a row ends after its last pixel. */
  readonly #stride: number;

  constructor(width: number, height: number, ground: Colour | undefined) {
    this.width = width;
    this.height = height;
    this.ground = ground;
    this.rgba = new Uint8Array(width * height * 4);
    if (ground !== undefined) {
      const [pixel] = new Uint32Array(Uint8Array.of(...ground, 255).buffer);
      new Uint32Array(this.rgba.buffer).fill(pixel!);
    }
    this.#stride = width + 2;
    this.#cover = new Float32Array(this.#stride * height);
    this.clip = this.whole;
  }

  get whole(): Frame {
    return { left: 0, top: 0, right: this.width, bottom: this.height };
  }

  png(): Uint8Array<ArrayBuffer> {
    // thumbnails are drawn at each import
    return encodePng(this.width, this.height, this.rgba, this.ground === undefined ? 'fast' : 'small');
  }

  /** Sets a pixel without clipping. */
  set(column: number, row: number, colour: Colour): void {
    const at = 4 * (row * this.width + column);
    this.rgba[at] = colour[0];
    this.rgba[at + 1] = colour[1];
    this.rgba[at + 2] = colour[2];
    this.rgba[at + 3] = 255;
  }

  /** Draws over a share of a pixel, without clipping. */
  cover(column: number, row: number, colour: Colour, share: number): void {
    this.#blend(row * this.width + column, colour, share);
  }

  rectangle({ left, top, right, bottom }: Frame, colour: Colour): void {
    const { clip } = this;
    const [firstRow, endRow] = [Math.max(clip.top, Math.round(top)), Math.min(clip.bottom, Math.round(bottom))];
    const [first, end] = [Math.max(clip.left, Math.round(left)), Math.min(clip.right, Math.round(right))];
    for (let row = firstRow; row < endRow; row++)
      for (let column = first; column < end; column++) this.set(column, row, colour);
  }

  /** Fills closed outlines; holes have the opposite orientation. */
  fill(outlines: readonly Points[], colour: Colour, opacity = 1): void {
    const box = this.#boxOf(outlines, 0);
    if (box === undefined) return;
    for (const points of outlines)
      for (let n = 0; n < points.length; n += 2) {
        const next = n + 2 === points.length ? 0 : n + 2;
        this.#edge(points[n]!, points[n + 1]!, points[next]!, points[next + 1]!, box);
      }
    for (let row = box.top; row < box.bottom; row++) {
      let sum = 0;
      for (let column = box.left; column < box.right; column++) {
        const at = row * this.#stride + column;
        sum += this.#cover[at]!;
        this.#cover[at] = 0;
        const cover = Math.min(1, Math.abs(sum));
        if (cover > 0.002) this.#blend(row * this.width + column, colour, cover * opacity);
      }
      this.#cover.fill(0, row * this.#stride + box.right, row * this.#stride + box.right + 2);
    }
  }

  /** A line through points, with round ends; `closed` leads back to the first. */
  stroke(points: Points, width: number, colour: Colour, { closed = false, opacity = 1 } = {}): void {
    const box = this.#boxOf([points], width / 2 + 1);
    if (box === undefined) return;
    const last = closed ? points.length : points.length - 2;
    for (let n = 0; n < last; n += 2) {
      const next = (n + 2) % points.length;
      this.#segment(points[n]!, points[n + 1]!, points[next]!, points[next + 1]!, width / 2, box);
    }
    for (let row = box.top; row < box.bottom; row++)
      for (let column = box.left; column < box.right; column++) {
        const at = row * this.#stride + column;
        const cover = this.#cover[at]!;
        if (cover === 0) continue;
        this.#cover[at] = 0;
        this.#blend(row * this.width + column, colour, cover * opacity);
      }
  }

  disc(x: number, y: number, radius: number, colour: Colour): void {
    this.stroke([x, y, x, y], 2 * radius, colour);
  }

  /** `y` is the baseline; for an upward text `x` is. */
  text(
    text: string,
    x: number,
    y: number,
    { size, colour, weight = 'regular', align = 'left', upward = false }: TextStyle,
  ): void {
    const shift = align === 'left' ? 0 : (align === 'middle' ? 0.5 : 1) * textWidth(text, size, weight);
    let along = -shift;
    for (const { advance, outlines } of glyphsOf(text, weight)) {
      const placed = outlines.map((outline) => {
        const points = new Float64Array(outline.length);
        for (let n = 0; n < points.length; n += 2) {
          const [right, up] = [along + size * outline[n]!, size * outline[n + 1]!];
          points[n] = upward ? x - up : x + right;
          points[n + 1] = upward ? y - right : y - up;
        }
        return points;
      });
      this.fill(placed, colour);
      along += size * advance;
    }
  }

  /** The pixels that shapes may touch, within the clip; undefined where there are none. */
  #boxOf(outlines: readonly Points[], margin: number): Frame | undefined {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const points of outlines)
      for (let n = 0; n < points.length; n += 2) {
        left = Math.min(left, points[n]!);
        right = Math.max(right, points[n]!);
        top = Math.min(top, points[n + 1]!);
        bottom = Math.max(bottom, points[n + 1]!);
      }
    const { clip } = this;
    const box = {
      left: Math.max(clip.left, Math.floor(left - margin)),
      top: Math.max(clip.top, Math.floor(top - margin)),
      right: Math.min(clip.right, Math.ceil(right + margin)),
      bottom: Math.min(clip.bottom, Math.ceil(bottom + margin)),
    };
    return box.left < box.right && box.top < box.bottom ? box : undefined;
  }

  /**
   * Adds the signed area to the right of an edge to the pixels of its rows; running sums along a row are the coverage.
   */
  #edge(x0: number, y0: number, x1: number, y1: number, { left, top, right, bottom }: Frame): void {
    if (y0 === y1) return;
    const sign = y0 < y1 ? 1 : -1;
    const [xa, ya, xb, yb] = y0 < y1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0];
    const slope = (xb - xa) / (yb - ya);
    for (let row = Math.max(top, Math.floor(ya)); row < Math.min(bottom, Math.ceil(yb)); row++) {
      const [from, to] = [Math.max(ya, row), Math.min(yb, row + 1)];
      if (from >= to) continue;
      const clamp = (x: number) => Math.min(right, Math.max(left, x));
      const [a, b] = [clamp(xa + (from - ya) * slope), clamp(xa + (to - ya) * slope)];
      this.#span(row * this.#stride, Math.min(a, b), Math.max(a, b), sign * (to - from));
    }
  }

  /** An edge within one row, from x `a` to `b`, that covers `height` of it. */
  #span(line: number, a: number, b: number, height: number): void {
    const cover = this.#cover;
    const first = Math.floor(a);
    if (b <= first + 1) {
      const inside = height * (first + 1 - (a + b) / 2);
      cover[line + first]! += inside;
      cover[line + first + 1]! += height - inside;
      return;
    }
    const perColumn = height / (b - a);
    /**
     * Height of the part of the edge in earlier columns, and the area to the right of the edge in the previous column.
     */
    let [above, previous] = [0, 0];
    let column = first;
    for (; column < b; column++) {
      const [from, to] = [Math.max(a, column), Math.min(b, column + 1)];
      const part = perColumn * (to - from);
      const area = above + part * (column + 1 - (from + to) / 2);
      cover[line + column]! += area - previous;
      previous = area;
      above += part;
    }
    cover[line + column]! += height - previous;
  }

  /** Keeps the greatest coverage of each pixel by the segments of a line. */
  #segment(x0: number, y0: number, x1: number, y1: number, radius: number, box: Frame): void {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const squared = dx * dx + dy * dy;
    if (!Number.isFinite(squared)) return;
    const reach = radius + 1;
    const top = Math.max(box.top, Math.floor(Math.min(y0, y1) - reach));
    const bottom = Math.min(box.bottom, Math.ceil(Math.max(y0, y1) + reach));
    for (let row = top; row < bottom; row++) {
      const [left, right] = columnsNear(x0, y0, dx, dy, row + 0.5, reach);
      for (
        let column = Math.max(box.left, Math.floor(left));
        column < Math.min(box.right, Math.ceil(right));
        column++
      ) {
        const [px, py] = [column + 0.5 - x0, row + 0.5 - y0];
        const t = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
        const cover = Math.min(1, radius + 0.5 - Math.hypot(px - t * dx, py - t * dy));
        const at = row * this.#stride + column;
        if (cover > this.#cover[at]!) this.#cover[at] = cover;
      }
    }
  }

  #blend(at: number, colour: Colour, share: number): void {
    const { rgba } = this;
    const opacity = rgba[4 * at + 3]! / 255;
    if (opacity < 1) {
      const sum = share + opacity * (1 - share);
      for (let channel = 0; channel < 3; channel++) {
        const was = rgba[4 * at + channel]!;
        rgba[4 * at + channel] = Math.round((colour[channel]! * share + was * opacity * (1 - share)) / sum);
      }
      rgba[4 * at + 3] = Math.round(255 * sum);
      return;
    }
    for (let channel = 0; channel < 3; channel++) {
      const was = rgba[4 * at + channel]!;
      rgba[4 * at + channel] = Math.round(was + (colour[channel]! - was) * share);
    }
  }
}

/** Columns of a row that a segment may come within `reach` of. */
function columnsNear(x: number, y: number, dx: number, dy: number, row: number, reach: number): [number, number] {
  if (dy === 0) return [Math.min(x, x + dx) - reach, Math.max(x, x + dx) + reach];
  const at = (level: number) => x + dx * Math.min(1, Math.max(0, (level - y) / dy));
  const [a, b] = [at(row - reach), at(row + reach)];
  return [Math.min(a, b) - reach, Math.max(a, b) + reach];
}
