import { ConversionError } from '../../errors.ts';
import { type Ellipsoid, metresPerUnit } from './ellipsoid.ts';

export interface LinePoints {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Maximum number of points. */
const maxPoints = 200_000;
/** How close to the last vertex, as a part of the spacing, a point falls on it. */
const close = 1e-9;
/** Degrees of a piece whose length is integrated at once. */
const pieceDegrees = 0.1;

/** A straight part of the line, from `start` along it. */
interface Piece {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
  readonly start: number;
  readonly length: number;
}

/**
 * Points every `spacing` along a line, from its first vertex; the last vertex only where one falls on it. The line is
 * straight between its vertices in its own coordinates.
 * @param xy x and y of the vertices
 * @param ellipsoid for longitudes and latitudes: distances are metres along the line on it
 * @throws ConversionError for a line without a length, or too many points
 */
export function pointsAlong(xy: Float64Array, spacing: number, ellipsoid?: Ellipsoid): LinePoints {
  const pieces = piecesOf(xy, ellipsoid);
  const length = lengthOf(pieces);
  if (!(length > 0)) throw new ConversionError('The line of the profile has no length.');
  const count = Math.floor(length / spacing + close) + 1;
  if (!(count <= maxPoints))
    throw new ConversionError(
      `The line of the profile is ${Number(length.toPrecision(7))} long and has ${count.toLocaleString('en')} points every ${spacing}; the maximum is ${maxPoints.toLocaleString('en')}. Use a greater spacing.`,
    );
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  let n = 0;
  for (let k = 0; k < count; k++) {
    const at = Math.min(k * spacing, length);
    while (n < pieces.length - 1 && pieces[n]!.start + pieces[n]!.length < at) n++;
    const piece = pieces[n]!;
    const share = shareAt(piece, Math.min(at - piece.start, piece.length), ellipsoid);
    x[k] = piece.x + share * piece.dx;
    y[k] = piece.y + share * piece.dy;
  }
  return { x, y };
}

/** Length of a line, as `pointsAlong` measures it. */
export const lineLength = (xy: Float64Array, ellipsoid?: Ellipsoid): number => lengthOf(piecesOf(xy, ellipsoid));

const lengthOf = (pieces: readonly Piece[]): number => {
  const last = pieces.at(-1);
  return last === undefined ? 0 : last.start + last.length;
};

function piecesOf(xy: Float64Array, ellipsoid: Ellipsoid | undefined): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (let i = 0; i + 3 < xy.length; i += 2) {
    const [x0, y0] = [xy[i]!, xy[i + 1]!];
    const [dx, dy] = [xy[i + 2]! - x0, xy[i + 3]! - y0];
    const parts =
      ellipsoid === undefined ? 1 : Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / pieceDegrees));
    for (let part = 0; part < parts; part++) {
      const piece = { x: x0 + (part / parts) * dx, y: y0 + (part / parts) * dy, dx: dx / parts, dy: dy / parts };
      const length = lengthTo(piece, 1, ellipsoid);
      if (length === 0) continue;
      pieces.push({ ...piece, start, length });
      start += length;
    }
  }
  return pieces;
}

/** Nodes and weights of Gauss and Legendre for five points, on 0 to 1. */
const nodes = [0.04691007703066802, 0.23076534494715845, 0.5, 0.7692346550528415, 0.953089922969332];
const weights = [
  0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454,
];

type Way = Pick<Piece, 'y' | 'dx' | 'dy'>;

/** Length of the first part of a piece. */
function lengthTo({ y, dx, dy }: Way, share: number, ellipsoid: Ellipsoid | undefined): number {
  if (ellipsoid === undefined) return share * Math.hypot(dx, dy);
  return nodes.reduce(
    (sum, node, n) => sum + share * weights[n]! * metresPerUnit(ellipsoid, y + share * node * dy, dx, dy),
    0,
  );
}

/** The share of a piece after which its length is reached: by Newton's method, as it is nearly linear. */
function shareAt(piece: Piece, length: number, ellipsoid: Ellipsoid | undefined): number {
  let share = length / piece.length;
  if (ellipsoid === undefined) return share;
  for (let step = 0; step < 3; step++)
    share +=
      (length - lengthTo(piece, share, ellipsoid)) /
      metresPerUnit(ellipsoid, piece.y + share * piece.dy, piece.dx, piece.dy);
  return share;
}
