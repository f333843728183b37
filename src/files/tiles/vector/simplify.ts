/**
 * Rings of at most this many points are not simplified: elements and plots next to each other keep corners that they
 * share.
 */
const FEW_POINTS = 8;

/**
 * Rounds lines and rings to whole units and removes points within a unit of the line (Douglas and Peucker 1973). Its
 * memory is used again and again.
 */
export class Simplifier {
  /** The points of the last line or ring. */
  points = new Int32Array(1 << 10);
  #kept = new Uint8Array(1 << 9);
  readonly #stack: number[] = [];

  /** Fills `points`. Returns their number; 0 if there are fewer than needed. */
  simplify(units: Float64Array, length: number, least: 2 | 3): number {
    const count = this.#round(units, length, least);
    if (count < least) return 0;
    if (count <= (least === 3 ? FEW_POINTS : least)) return count;
    const { points } = this;
    const kept = this.#kept;
    kept.fill(0, 0, count);
    kept[0] = 1;
    // A ring is cut at the point that is farthest from its first one.
    const middle = least === 3 ? farthestFromFirst(points, count) : count - 1;
    kept[middle] = 1;
    let simple = 2 + this.#mark(count, 0, middle);
    if (least === 3) simple += this.#mark(count, middle, count);
    if (simple < least) return count;
    for (let n = 0, size = 0; n < count; n++) {
      if (kept[n] === 0) continue;
      points[size++] = points[2 * n]!;
      points[size++] = points[2 * n + 1]!;
    }
    return simple;
  }

  /** Rounds points and drops those that equal the one before. Returns the number of points. */
  #round(units: Float64Array, length: number, least: 2 | 3): number {
    if (this.points.length < length) {
      this.points = new Int32Array(2 * length);
      this.#kept = new Uint8Array(length);
    }
    const { points } = this;
    let size = 0;
    for (let i = 0; i < length; i += 2) {
      const x = Math.round(units[i]!);
      const y = Math.round(units[i + 1]!);
      if (size > 0 && points[size - 2] === x && points[size - 1] === y) continue;
      points[size++] = x;
      points[size++] = y;
    }
    if (least === 3) while (size > 2 && points[0] === points[size - 2] && points[1] === points[size - 1]) size -= 2;
    return size / 2;
  }

  /**
   * Marks the points between two that a simpler line needs. The end may be the first point of a ring. Returns their
   * number.
   */
  #mark(count: number, first: number, last: number): number {
    const { points } = this;
    let marked = 0;
    const kept = this.#kept;
    const stack = this.#stack;
    stack.push(first, last);
    while (stack.length > 0) {
      const to = stack.pop()!;
      const from = stack.pop()!;
      const end = to === count ? 0 : to;
      const x0 = points[2 * from]!;
      const y0 = points[2 * from + 1]!;
      const dx = points[2 * end]! - x0;
      const dy = points[2 * end + 1]! - y0;
      // Squares of distances, times the square of the length: whole numbers.
      const length = dx * dx + dy * dy;
      const scale = length === 0 ? 1 : length;
      let farthest = -1;
      let most = scale;
      for (let n = from + 1; n < to; n++) {
        const px = points[2 * n]! - x0;
        const py = points[2 * n + 1]! - y0;
        const along = px * dx + py * dy;
        let distance = 0;
        if (along <= 0) distance = (px * px + py * py) * scale;
        else if (along >= length) distance = ((px - dx) * (px - dx) + (py - dy) * (py - dy)) * scale;
        else {
          const across = px * dy - py * dx;
          distance = across * across;
        }
        if (distance > most) {
          farthest = n;
          most = distance;
        }
      }
      if (farthest < 0) continue;
      kept[farthest] = 1;
      marked++;
      stack.push(from, farthest, farthest, to);
    }
    return marked;
  }
}

function farthestFromFirst(points: Int32Array, count: number): number {
  let [farthest, most] = [0, -1];
  for (let n = 0; n < count; n++) {
    const dx = points[2 * n]! - points[0]!;
    const dy = points[2 * n + 1]! - points[1]!;
    const distance = dx * dx + dy * dy;
    if (distance > most) {
      farthest = n;
      most = distance;
    }
  }
  return farthest;
}
