import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Field } from '../../data/feature-collection.ts';
import type { Band, Grid } from '../../data/grid.ts';
import { NumberList } from '../../data/number-list.ts';
import { ConversionError } from '../../errors.ts';
import { reportFeatureIds, reportFeatureParts } from '../../formats/io/left-out.ts';
import { isSingle } from '../../formats/io/single-precision.ts';
import { type LatticeAxis, latticeAxis } from '../../geo/raster/lattice.ts';
import type { BridgeWork } from './bridge.ts';

/** Maximum number of cells per point: points along a river on a fine lattice leave most cells empty. */
const maxCellsPerPoint = 100;
const rowsPerBlock = 256;

/**
 * Converts points on a regular lattice to a grid: each point becomes the centre of a cell. Bands are the heights of the
 * points, then their numeric fields; cells without a point have no data.
 */
export async function pointsToGrid(points: FeatureCollection, { context }: BridgeWork): Promise<Grid> {
  const columns = numericFields(points);
  reportFeatureParts(points, 'Grids', context);
  const { x, y, values, hasIds, rounded } = await collected(
    points,
    columns.map(({ index }) => index),
    context.signal,
  );
  const { across, up } = latticeOf(x, y);
  if (hasIds) reportFeatureIds('Grids', context);
  if (rounded > 0) context.reportLoss(`${rounded} integers were rounded to double precision.`);
  if (values.some((list) => list.some(Number.isNaN)))
    context.remark('Numbers that points do not have (null) became cells without data.');
  const names = namesOfBands(points, columns);
  const cells = cellNumbers(x, y, across, up);
  const bands = values.map((list) => bandValues(list, cells, across.count * up.count));
  return {
    kind: 'grid',
    width: across.count,
    height: up.count,
    affine: [
      across.first - across.spacing / 2,
      across.spacing,
      0,
      up.first + (up.count - 0.5) * up.spacing,
      0,
      -up.spacing,
    ],
    ...(points.crs === undefined ? {} : { crs: points.crs }),
    bands: bands.map(
      (band, n): Band => ({
        name: names[n]!,
        type: band instanceof Float32Array ? 'Float32' : 'Float64',
        nodata: Number.NaN,
      }),
    ),
    async *rows({ band }, range) {
      const end = range?.end ?? up.count;
      for (let firstRow = range?.first ?? 0; firstRow < end; firstRow += rowsPerBlock) {
        const rowCount = Math.min(rowsPerBlock, end - firstRow);
        const samples = bands[band]!.slice(firstRow * across.count, (firstRow + rowCount) * across.count);
        yield { firstRow, rowCount, samples };
      }
    },
  };
}

/** A grid like that of the points as far as their header tells: of one cell. */
export function gridLikePoints(points: FeatureCollection): Grid {
  return {
    kind: 'grid',
    width: 1,
    height: 1,
    affine: [0, 1, 0, 1, 0, -1],
    ...(points.crs === undefined ? {} : { crs: points.crs }),
    bands: namesOfBands(points, numericFields(points)).map((name) => ({ name, nodata: Number.NaN })),
    async *rows() {
      yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(Number.NaN) };
    },
  };
}

interface NumericField {
  readonly field: Field;
  readonly index: number;
}

function numericFields({ fields, hasZ }: FeatureCollection): NumericField[] {
  const columns = fields.flatMap((field, index) => (isNumber(field) ? [{ field, index }] : []));
  if (!hasZ && columns.length === 0)
    throw new ConversionError('The points have neither heights nor fields of numbers for the cells of a grid.');
  return columns;
}

const namesOfBands = ({ hasZ }: FeatureCollection, columns: readonly NumericField[]): string[] => [
  ...(hasZ ? ['Z'] : []),
  ...columns.map(({ field }) => field.name),
];

const isNumber = ({ type }: Field): boolean => type === 'integer' || type === 'integer64' || type === 'real';

/** Coordinates and values of all points, in their order: heights first if the layer has them. */
async function collected(points: FeatureCollection, fields: readonly number[], signal: AbortSignal) {
  const stride = strideOf(points);
  const list = () => new NumberList(Float64Array);
  const [x, y, heights] = [list(), list(), list()];
  const values = fields.map(list);
  let number = 0;
  let hasIds = false;
  let rounded = 0;
  const add = ({ id, geometry, values: row }: Feature) => {
    number++;
    hasIds ||= id !== undefined;
    if (geometry?.type !== 'Point') {
      const wrong = `Feature ${number} is a ${geometry?.type ?? 'row without a place'}; a grid is made of points that form a lattice.`;
      throw new ConversionError(geometry === undefined ? wrong : `${wrong} A rasterizeTransformation burns others.`);
    }
    x.push(geometry.coordinates[0]!);
    y.push(geometry.coordinates[1]!);
    if (stride > 2) heights.push(geometry.coordinates[2]!);
    for (const [n, index] of fields.entries()) {
      const value = row[index] ?? Number.NaN;
      if (typeof value === 'bigint' && BigInt(Number(value)) !== value) rounded++;
      values[n]!.push(Number(value));
    }
  };
  for await (const chunk of points.chunks()) {
    signal.throwIfAborted();
    for (const feature of chunk) add(feature);
  }
  if (number === 0) throw new ConversionError('The input has no points to make a grid of.');
  const lists = points.hasZ ? [heights, ...values] : values;
  return { x: x.taken(), y: y.taken(), values: lists.map((one) => one.taken()), hasIds, rounded };
}

/** Both axes; a single row or column has the spacing of the other axis. */
function latticeOf(x: Float64Array, y: Float64Array): { across: LatticeAxis; up: LatticeAxis } {
  const across = latticeAxis(x);
  const up = latticeAxis(y);
  const irregular = across === undefined ? 'x' : up === undefined ? 'y' : undefined;
  if (across === undefined || up === undefined)
    throw new ConversionError(
      `The points form no regular lattice: distances in ${irregular} differ. Write them as points (ShapefileWriter, GeoJsonWriter, VtuWriter).`,
    );
  if (across.count * up.count > maxCellsPerPoint * x.length)
    throw new ConversionError(
      `The points form no regular lattice: ${x.length} points would lie in ${across.count} × ${up.count} cells.`,
    );
  const spacing = across.count > 1 ? across.spacing : up.spacing;
  if (Number.isNaN(spacing))
    throw new ConversionError('All points have the same coordinates, so the size of a cell is not known.');
  const withSpacing = (axis: LatticeAxis) => (axis.count > 1 ? axis : { ...axis, spacing });
  return { across: withSpacing(across), up: withSpacing(up) };
}

/** The cell index of each point; the first row is in the north. */
function cellNumbers(x: Float64Array, y: Float64Array, across: LatticeAxis, up: LatticeAxis): Uint32Array {
  const cells = new Uint32Array(x.length);
  const occupied = new Uint8Array(across.count * up.count);
  for (let n = 0; n < x.length; n++) {
    const column = Math.round((x[n]! - across.first) / across.spacing);
    const row = up.count - 1 - Math.round((y[n]! - up.first) / up.spacing);
    const cell = row * across.count + column;
    if (occupied[cell] === 1)
      throw new ConversionError(`Two points lie at ${x[n]}, ${y[n]}; a cell of a grid has one value.`);
    occupied[cell] = 1;
    cells[n] = cell;
  }
  return cells;
}

/** Float32 if it represents all values exactly as they were written. */
function bandValues(values: Float64Array, cells: Uint32Array, count: number): Float32Array | Float64Array {
  const type = values.every(isSingle) ? Float32Array : Float64Array;
  const band = new type(count).fill(Number.NaN);
  for (let n = 0; n < cells.length; n++) band[cells[n]!] = values[n]!;
  return band;
}
