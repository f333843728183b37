import { orient2d as clockwise } from 'robust-predicates';

/**
 * Shewchuk's robust orientation test: positive if c lies left of the line from a to b, negative if right of it, 0
 * exactly on it. The sign is exact. The library has its y axis downwards.
 */
export const orient2d = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number =>
  -clockwise(ax, ay, bx, by, cx, cy);
