/** Rings as x and y in turn, without the closing vertex. */
export type Ring = Float64Array;

/**
 * Clips a ring to the half-plane left of the line from a to b, or on it (Sutherland, Hodgman 1974). A concave ring may
 * run along the line there and back, which adds no area. Empty if nothing is left.
 */
export function clipToLeft(ring: Ring, ax: number, ay: number, bx: number, by: number): Ring {
  const [dx, dy] = [bx - ax, by - ay];
  const clipped = new Float64Array(2 * ring.length);
  let length = 0;
  const last = ring.length - 2;
  if (last < 0) return clipped;
  let [px, py] = [ring[last]!, ring[last + 1]!];
  let before = dx * (py - ay) - dy * (px - ax);
  for (let at = 0; at < ring.length; at += 2) {
    const [x, y] = [ring[at]!, ring[at + 1]!];
    const side = dx * (y - ay) - dy * (x - ax);
    if (side > 0 !== before > 0 && side !== 0 && before !== 0) {
      const part = before / (before - side);
      clipped[length++] = px + part * (x - px);
      clipped[length++] = py + part * (y - py);
    }
    if (side >= 0) {
      clipped[length++] = x;
      clipped[length++] = y;
    }
    [px, py, before] = [x, y, side];
  }
  return clipped.subarray(0, length);
}

/** Signed area, positive counter-clockwise. */
export function signedArea(ring: Ring): number {
  if (ring.length < 6) return 0;
  const [x0, y0] = [ring[0]!, ring[1]!];
  let double = 0;
  let [px, py] = [0, 0];
  for (let at = 2; at < ring.length; at += 2) {
    const [x, y] = [ring[at]! - x0, ring[at + 1]! - y0];
    double += px * y - x * py;
    [px, py] = [x, y];
  }
  return double / 2;
}

/** Signed area of the part of a ring within a triangle whose corners run counter-clockwise. */
export function areaInTriangle(ring: Ring, triangle: Ring): number {
  const [ax, ay, bx, by, cx, cy] = triangle as unknown as [number, number, number, number, number, number];
  let part = clipToLeft(ring, ax, ay, bx, by);
  if (part.length > 0) part = clipToLeft(part, bx, by, cx, cy);
  if (part.length > 0) part = clipToLeft(part, cx, cy, ax, ay);
  return signedArea(part);
}
