/** West, south, east, north. */
export type Tile = readonly [west: number, south: number, east: number, north: number];

/** Finds the bounding boxes that meet a tile, by squares that list the boxes within them. */
export class SpatialHash {
  readonly #boxes: Float64Array;
  readonly #west: number;
  readonly #south: number;
  readonly #size: number;
  readonly #columns: number;
  readonly #rows: number;
  /** Boxes of square n: `listed[starts[n] … starts[n + 1] - 1]`. */
  readonly #starts: Uint32Array;
  readonly #listed: Uint32Array;
  /** Number of the last search that found a box. */
  readonly #seen: Uint32Array;
  #searches = 0;

  /** @param boxes west, south, east, north of each box; NaN for one that is never found */
  constructor(boxes: Float64Array) {
    this.#boxes = boxes;
    const count = boxes.length / 4;
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < boxes.length; at += 4) {
      if (boxes[at]! < west) west = boxes[at]!;
      if (boxes[at + 1]! < south) south = boxes[at + 1]!;
      if (boxes[at + 2]! > east) east = boxes[at + 2]!;
      if (boxes[at + 3]! > north) north = boxes[at + 3]!;
    }
    const [width, height] = [Math.max(0, east - west), Math.max(0, north - south)];
    this.#west = west;
    this.#south = south;
    // About as many squares as boxes; a long thin extent has as many in a row.
    this.#size = Math.max(Math.sqrt((width * height) / Math.max(1, count)), width / 4096, height / 4096) || 1;
    this.#columns = Math.floor(width / this.#size) + 1;
    this.#rows = Math.floor(height / this.#size) + 1;
    this.#seen = new Uint32Array(count);
    this.#starts = new Uint32Array(this.#columns * this.#rows + 1);
    for (let n = 0; n < count; n++) this.#visit(this.#boxOf(n), (square) => void this.#starts[square + 1]!++);
    for (let n = 1; n < this.#starts.length; n++) this.#starts[n]! += this.#starts[n - 1]!;
    this.#listed = new Uint32Array(this.#starts.at(-1)!);
    const ends = this.#starts.slice();
    for (let n = 0; n < count; n++)
      this.#visit(this.#boxOf(n), (square) => {
        this.#listed[ends[square]!++] = n;
      });
  }

  #boxOf(n: number): Tile {
    const at = 4 * n;
    return [this.#boxes[at]!, this.#boxes[at + 1]!, this.#boxes[at + 2]!, this.#boxes[at + 3]!];
  }

  #visit([west, south, east, north]: Tile, square: (number: number) => void): void {
    const last = (value: number, most: number) => Math.min(most - 1, Math.floor(value / this.#size));
    const right = last(east - this.#west, this.#columns);
    const top = last(north - this.#south, this.#rows);
    for (let row = Math.max(0, Math.floor((south - this.#south) / this.#size)); row <= top; row++)
      for (let column = Math.max(0, Math.floor((west - this.#west) / this.#size)); column <= right; column++)
        square(row * this.#columns + column);
  }

  /** Numbers of the boxes that meet a tile, in ascending order. */
  find(tile: Tile): Uint32Array {
    const search = ++this.#searches;
    const found: number[] = [];
    this.#visit(tile, (square) => {
      for (let n = this.#starts[square]!; n < this.#starts[square + 1]!; n++) {
        const box = this.#listed[n]!;
        if (this.#seen[box] === search) continue;
        this.#seen[box] = search;
        const [west, south, east, north] = this.#boxOf(box);
        if (west <= tile[2] && south <= tile[3] && east >= tile[0] && north >= tile[1]) found.push(box);
      }
    });
    return Uint32Array.from(found).sort();
  }

  /** Those of some boxes that begin below a coordinate of an axis (0: x, 1: y), or end above it. */
  below(numbers: Uint32Array, axis: 0 | 1, limit: number): Uint32Array {
    return numbers.filter((n) => this.#boxes[4 * n + axis]! < limit);
  }

  above(numbers: Uint32Array, axis: 0 | 1, limit: number): Uint32Array {
    return numbers.filter((n) => this.#boxes[4 * n + 2 + axis]! > limit);
  }
}
