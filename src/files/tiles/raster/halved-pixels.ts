/** The part of the tile above that a tile covers, in pixels of the tile. */
export interface Quadrant {
  readonly left: number;
  readonly top: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
}

export function addMaxima(
  plane: Float64Array,
  most: Float64Array,
  { left, top, tileWidth, tileHeight }: Quadrant,
): void {
  for (let y = 0, i = 0; y < tileHeight; y++) {
    const line = ((top + y) >> 1) * tileWidth;
    for (let x = 0; x < tileWidth; x++, i++) {
      const value = plane[i]!;
      const at = line + ((left + x) >> 1);
      if (!(value <= most[at]!) && !Number.isNaN(value)) most[at] = value;
    }
  }
}

/** Four pixels make one, because tiles have even sides. Nothing else is added to it. */
export function addQuartets(
  plane: Float64Array,
  sums: Float64Array,
  sizes: Uint32Array,
  { left, top, tileWidth, tileHeight }: Quadrant,
): void {
  for (let y = 0; y < tileHeight; y += 2) {
    let at = ((top + y) >> 1) * tileWidth + (left >> 1);
    for (let i = y * tileWidth, end = i + tileWidth; i < end; i += 2, at++) {
      const [a, b, c, d] = [plane[i]!, plane[i + 1]!, plane[i + tileWidth]!, plane[i + tileWidth + 1]!];
      const sum = a + b + c + d;
      if (!Number.isNaN(sum)) {
        sums[at] = sum;
        sizes[at] = 4;
        continue;
      }
      let [known, count] = [0, 0];
      for (const value of [a, b, c, d])
        if (!Number.isNaN(value)) {
          known += value;
          count++;
        }
      sums[at] = known;
      sizes[at] = count;
    }
  }
}

export function addSums(
  plane: Float64Array,
  counts: Uint32Array | undefined,
  sums: Float64Array,
  sizes: Uint32Array,
  { left, top, tileWidth, tileHeight }: Quadrant,
): void {
  for (let y = 0, i = 0; y < tileHeight; y++) {
    const line = ((top + y) >> 1) * tileWidth;
    for (let x = 0; x < tileWidth; x++, i++) {
      const value = plane[i]!;
      const at = line + ((left + x) >> 1);
      const count = counts === undefined ? (Number.isNaN(value) ? 0 : 1) : counts[i]!;
      if (count === 0) continue;
      sums[at]! += value;
      sizes[at]! += count;
    }
  }
}
