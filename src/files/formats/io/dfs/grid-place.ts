import type { Crs } from '../../../data/crs-reference.ts';
import type { Affine } from '../../../data/grid.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { describeCrs } from '../../../geo/crs/crs.ts';
import { meridianConvergence, projecting, unprojecting } from '../../../geo/crs/geographic-base.ts';
import type { DfsAxis } from './axes.ts';
import type { DfsProjection } from './header.ts';

/** Whether the position in the projection block is the centre or the corner of the first cell: see `Dfs2Reader`. */
export type Interpretation = 'CenterOfCell' | 'BottomLeftBorder' | 'Borders';

export interface GridPlace {
  readonly affine: Affine;
  readonly crs?: Crs;
  readonly located?: false;
}

/**
 * Maximum angle in degrees between an axis of the grid and the same axis of the projection for them to count as
 * parallel, as in mikeio.
 */
const aligned = 1e-5;
const degrees = Math.PI / 180;

/**
 * Corner, spacing and direction of a grid's axes in its coordinate system; rows run along y from the first, southern
 * one.
 */
interface Frame {
  x: number;
  y: number;
  /** Degrees clockwise from the y axis of the coordinate system to that of the grid. */
  turn: number;
}

/**
 * Affine of a two- or three-dimensional equidistant axis whose row 0 is the southern one. The position of the
 * projection block is the centre of the first cell, in local coordinates its corner; `interpretation` overrides that.
 * @param crs that of the projection text, or what a request says instead
 */
export async function placeOfGrid(
  axis: Pick<DfsAxis, 'counts' | 'spacing'>,
  projection: DfsProjection | undefined,
  crs: Crs | undefined,
  interpretation: Interpretation | undefined,
): Promise<GridPlace> {
  const dimensions = axis.counts.length;
  const [x0, y0] = axis.spacing as [number, number];
  const [dx, dy] = axis.spacing.slice(dimensions) as [number, number];
  const frame = await frameOf(projection, crs);
  const kept = crs === undefined ? {} : { crs };
  if (frame === undefined) return { affine: [x0 - dx / 2, dx, 0, y0 - dy / 2, 0, dy], located: false, ...kept };
  // Some programs repeat the position as first coordinates.
  const repeated = Math.abs(x0 - frame.x) < dx && Math.abs(y0 - frame.y) < dy;
  const means = interpretation ?? (crs === undefined ? 'BottomLeftBorder' : 'CenterOfCell');
  const [width, height] = axis.counts as [number, number];
  const stretch = (count: number, step: number) =>
    means === 'Borders' && count > 1 ? (step * count) / (count - 1) : step;
  const [stepX, stepY] = [stretch(width, dx), stretch(height, dy)];
  const toCorner = means === 'BottomLeftBorder' ? 0 : -0.5;
  const along = (repeated ? 0 : x0) + toCorner * stepX;
  const up = (repeated ? 0 : y0) + toCorner * stepY;
  const [sin, cos] = frame.turn === 0 ? [0, 1] : [Math.sin(frame.turn * degrees), Math.cos(frame.turn * degrees)];
  return {
    affine: [
      frame.x + along * cos + up * sin,
      stepX * cos,
      stepY * sin,
      frame.y - along * sin + up * cos,
      -stepX * sin + 0,
      stepY * cos,
    ],
    ...kept,
  };
}

/**
 * Position and rotation of the projection block in the coordinate system; undefined if the coordinate system is
 * unknown.
 */
async function frameOf(projection: DfsProjection | undefined, crs: Crs | undefined): Promise<Frame | undefined> {
  const { longitude, latitude, rotation } = projection ?? { longitude: 0, latitude: 0, rotation: 0 };
  if (crs === undefined) return { x: longitude, y: latitude, turn: tidyTurn(rotation) };
  const known = await describeCrs(crs).catch((error: unknown) => {
    if (error instanceof FormatError) return undefined;
    throw error;
  });
  if (known === undefined || !['projected', 'geographic', 'compound', 'geographic3D'].includes(known.kind))
    return undefined;
  if (known.geographic) return { x: longitude, y: latitude, turn: tidyTurn(rotation) };
  using project = await projecting(crs);
  const [x, y] = [Float64Array.of(longitude), Float64Array.of(latitude)];
  if (project.forward(x, y) > 0)
    throw new FormatError(
      `The grid lies at longitude ${longitude}, latitude ${latitude}, which cannot be transformed to ${known.name}.`,
    );
  const convergence = meridianConvergence(project, longitude, latitude);
  return { x: tidyMetres(x[0]!), y: tidyMetres(y[0]!), turn: tidyTurn(rotation - convergence) };
}

/** Projection libraries differ by hundredths of a millimetre, so smaller differences are rounded away. */
const tidyMetres = (metres: number): number => Math.round(metres * 1e5) / 1e5;

/** −180 to 180, and 0 for a grid that is aligned. */
function tidyTurn(turn: number): number {
  const within = turn - 360 * Math.round(turn / 360);
  return Math.abs(within) < aligned ? 0 : within;
}

/** The position of a grid as a file stores it. */
export interface StoredPlace {
  readonly longitude: number;
  readonly latitude: number;
  readonly rotation: number;
  readonly dx: number;
  readonly dy: number;
}

/**
 * The inverse of `placeOfGrid`.
 * @param affine of rows that run along y from the southern one
 * @throws ConversionError for a grid whose axes are not at right angles, or that is rotated in longitude and latitude
 */
export async function storedPlace([x, a, b, y, c, d]: Affine, crs: Crs | undefined): Promise<StoredPlace> {
  const [dx, dy] = [Math.hypot(a, c), Math.hypot(b, d)];
  const remedy = 'Add a crsTransformation, which resamples to an upright grid.';
  // Sine of the difference of the angle between the axes from a right angle.
  if (Math.abs(a * b + c * d) > 1e-7 * dx * dy || a * d - b * c <= 0)
    throw new ConversionError(`The cells of the grid are skewed or mirrored, which a DFS file cannot store. ${remedy}`);
  const turn = tidyTurn(Math.atan2(b, d) / degrees);
  if (crs === undefined) return { longitude: x, latitude: y, rotation: turn, dx, dy };
  const [centreX, centreY] = [x + a / 2 + b / 2, y + c / 2 + d / 2];
  const known = await describeCrs(crs);
  if (known.geographic) {
    if (turn !== 0)
      throw new ConversionError(
        `The grid is rotated in longitude and latitude, which programs that read DFS refuse. ${remedy}`,
      );
    return { longitude: centreX, latitude: centreY, rotation: 0, dx, dy };
  }
  using back = await unprojecting(crs);
  const [longitude, latitude] = [Float64Array.of(centreX), Float64Array.of(centreY)];
  if (back.forward(longitude, latitude) > 0)
    throw new ConversionError(`The corner of the grid at ${x}, ${y} cannot be transformed to longitude and latitude.`);
  using project = await projecting(crs);
  const rotation = turn + meridianConvergence(project, longitude[0]!, latitude[0]!);
  return { longitude: longitude[0]!, latitude: latitude[0]!, rotation, dx, dy };
}
