/** Tile ids of PMTiles 3: level by level, within a level along a Hilbert curve. */
export function tileIdOf(level: number, column: number, row: number): number {
  let [x, y, id] = [column, row, idsAbove(level)];
  for (let side = 2 ** level / 2; side >= 1; side /= 2) {
    const [right, lower] = [(x & side) > 0 ? 1 : 0, (y & side) > 0 ? 1 : 0];
    id += side * side * ((3 * right) ^ lower);
    [x, y] = turned(side, x, y, right, lower);
  }
  return id;
}

export function tileOfId(id: number): { level: number; column: number; row: number } {
  let level = 0;
  while (idsAbove(level + 1) <= id) level++;
  let [column, row, left] = [0, 0, id - idsAbove(level)];
  for (let side = 1; side < 2 ** level; side *= 2) {
    const quarter = left % 4;
    const right = quarter >> 1;
    const lower = (quarter ^ right) & 1;
    [column, row] = turned(side, column, row, right, lower);
    column += side * right;
    row += side * lower;
    left = Math.floor(left / 4);
  }
  return { level, column, row };
}

const idsAbove = (level: number): number => (4 ** level - 1) / 3;

function turned(side: number, x: number, y: number, right: number, lower: number): [number, number] {
  if (lower === 1) return [x, y];
  return right === 1 ? [side - 1 - y, side - 1 - x] : [y, x];
}
