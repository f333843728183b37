import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';

type Cells = Pick<Mesh, 'connectivity' | 'offsets' | 'shapes'>;

/** Remark of the receipt about data that cross the antimeridian, such as '3 features'. */
export const crossingSentence = (things: string): string =>
  `${things} cross the antimeridian (longitude 180°). They are not split there, so some programs draw them across the whole map.`;

/** Longitudes from 0 to 360 are brought to −180 to 180, as projections do. */
const within = (longitude: number): number =>
  longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;

/** Whether longitudes of neighbours lie on different sides of the antimeridian. */
export const jumps = (one: number, other: number): boolean => Math.abs(within(one) - within(other)) > 180;

/**
 * Number of cells of a mesh with neighbouring nodes on different sides of the antimeridian. `longitudes` are those of
 * the nodes.
 */
export function crossingCells(longitudes: Float64Array, { connectivity, offsets, shapes }: Cells): number {
  let crossing = 0;
  for (let cell = 0, at = 0; cell + 1 < offsets.length; cell++) {
    const end = offsets[cell + 1]!;
    const isOpen = shapes[cell] === CELL_SHAPES.line || shapes[cell] === CELL_SHAPES.polyline;
    let before = longitudes[connectivity[isOpen ? at : end - 1]!]!;
    let crosses = false;
    for (; at < end; at++) {
      const longitude = longitudes[connectivity[at]!]!;
      if (jumps(longitude, before)) crosses = true;
      before = longitude;
    }
    if (crosses) crossing++;
  }
  return crossing;
}

/** The same of curvilinear cells: `longitudes` are those of their corners, rows of one more than `columns`. */
export function crossingQuads(longitudes: Float64Array, columns: number, rows: number): number {
  let crossing = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const at = row * (columns + 1) + column;
      const [a, b] = [longitudes[at]!, longitudes[at + 1]!];
      const [d, c] = [longitudes[at + columns + 1]!, longitudes[at + columns + 2]!];
      if (jumps(a, b) || jumps(b, c) || jumps(c, d) || jumps(d, a)) crossing++;
    }
  return crossing;
}
