const perNode = 8;

interface Level {
  /** West, south, east, north of each node. */
  boxes: Float64Array;
  /** Lowest and highest rank below each node. */
  lowest: Uint32Array;
  highest: Uint32Array;
}

/** A packed R-tree of the bounding boxes of rings, in Morton order, then by rank (position in the order of size). */
export class RingTree {
  /** Boxes that the last search tested. */
  visited = 0;
  /** Levels of boxes, from the leaves up. */
  readonly #levels: Level[];

  /**
   * @param byRank box number of each rank
   * @param isIncluded whether the box with this number goes into the tree
   */
  constructor(boxes: Float64Array, byRank: Uint32Array, isIncluded: (n: number) => boolean) {
    const codes = mortonCodes(boxes);
    const ranks = Uint32Array.from(byRank.keys()).filter((rank) => isIncluded(byRank[rank]!));
    ranks.sort((a, b) => codes[byRank[a]!]! - codes[byRank[b]!]! || a - b);
    const sorted = new Float64Array(4 * ranks.length);
    for (let at = 0; at < ranks.length; at++) {
      const n = byRank[ranks[at]!]!;
      for (let k = 0; k < 4; k++) sorted[4 * at + k] = boxes[4 * n + k]!;
    }
    let level: Level = { boxes: sorted, lowest: ranks, highest: ranks };
    this.#levels = [level];
    while (level.lowest.length > 1) {
      level = parentLevel(level);
      this.#levels.push(level);
    }
  }

  /** The highest rank below `limit` whose box contains the given box and for which `fits` holds, or -1. */
  last(
    [west, south, east, north]: ArrayLike<number> & Iterable<number>,
    limit: number,
    fits: (rank: number) => boolean,
  ): number {
    this.visited = 0;
    let best = -1;
    const visit = (depth: number, first: number, end: number) => {
      const { boxes, lowest, highest } = this.#levels[depth]!;
      this.visited += end - first;
      // Backwards, as higher ranks come last and prune the search.
      for (let n = end - 1; n >= first; n--) {
        if (highest[n]! <= best && best >= 0) continue;
        if (lowest[n]! >= limit || boxes[4 * n]! > west! || boxes[4 * n + 1]! > south!) continue;
        if (boxes[4 * n + 2]! < east! || boxes[4 * n + 3]! < north!) continue;
        if (depth > 0)
          visit(depth - 1, perNode * n, Math.min(perNode * (n + 1), this.#levels[depth - 1]!.lowest.length));
        else if (fits(lowest[n]!)) best = lowest[n]!;
      }
    };
    visit(this.#levels.length - 1, 0, this.#levels.at(-1)!.lowest.length);
    return best;
  }
}

function parentLevel({ boxes, lowest, highest }: Level): Level {
  const count = Math.ceil(lowest.length / perNode);
  const level = { boxes: new Float64Array(4 * count), lowest: new Uint32Array(count), highest: new Uint32Array(count) };
  for (let node = 0; node < count; node++) {
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    let [low, high] = [Infinity, 0];
    for (let n = perNode * node; n < Math.min(perNode * (node + 1), lowest.length); n++) {
      west = Math.min(west, boxes[4 * n]!);
      south = Math.min(south, boxes[4 * n + 1]!);
      east = Math.max(east, boxes[4 * n + 2]!);
      north = Math.max(north, boxes[4 * n + 3]!);
      low = Math.min(low, lowest[n]!);
      high = Math.max(high, highest[n]!);
    }
    level.boxes.set([west, south, east, north], 4 * node);
    level.lowest[node] = low;
    level.highest[node] = high;
  }
  return level;
}

/** Morton code (Z-order) of the centre of each box: interleaved bits of x and y. */
export function mortonCodes(boxes: Float64Array): Uint32Array {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < boxes.length; at += 4) {
    west = Math.min(west, boxes[at]!);
    south = Math.min(south, boxes[at + 1]!);
    east = Math.max(east, boxes[at + 2]!);
    north = Math.max(north, boxes[at + 3]!);
  }
  const scaled = (value: number, low: number, high: number) => Math.floor(((value - low) / (high - low)) * 65_535) || 0;
  return Uint32Array.from({ length: boxes.length / 4 }, (_, n) => {
    const x = scaled(boxes[4 * n]! / 2 + boxes[4 * n + 2]! / 2, west, east);
    const y = scaled(boxes[4 * n + 1]! / 2 + boxes[4 * n + 3]! / 2, south, north);
    return spreadBits(x) + 2 * spreadBits(y);
  });
}

/** Spreads 16 bits to the even bits of 32. */
function spreadBits(value: number): number {
  let bits = value & 0xffff;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}
