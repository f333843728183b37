import type { Crs } from '../../../data/crs-reference.ts';
import { resolveCrs, wgs84 } from '../../../geo/crs/crs.ts';
import { coordinateOf, isLongitude } from './coordinates.ts';
import type { Dimension, View } from './dimensions.ts';
import { crsOfMapping, gridMappingOf } from './grid-mapping.ts';
import { factorOf } from './horizontal-axes.ts';
import { realNumbers } from './numbers.ts';
import { type CfContext, type CfFile, type CfVariable, shortened, textOf } from './variable.ts';

/** Cells of rows and columns that are not straight: the corners of each (CF 5.2). */
export interface CurvilinearCells {
  readonly x: Dimension;
  readonly y: Dimension;
  readonly crs: Crs | undefined;
  /** (ny + 1) rows of (nx + 1) corners. */
  readonly nodeX: Float64Array;
  readonly nodeY: Float64Array;
  /** Names of the variables of the coordinates. */
  readonly names: readonly string[];
}

const standardNames = {
  x: ['longitude', 'projection_x_coordinate'],
  y: ['latitude', 'projection_y_coordinate'],
};
const inDegrees = { x: /^degrees?_?(?:E|east)$/i, y: /^degrees?_?(?:N|north)$/i };

/** The cells by coordinates of two dimensions, unless rows and columns have coordinates of their own. */
export async function curvilinearOf(
  file: CfFile,
  views: readonly View[],
  context: CfContext,
): Promise<CurvilinearCells | undefined> {
  for (const { variable, own } of views) {
    const named = (textOf(variable.metadata.attributes.coordinates) ?? '').split(/\s+/);
    const planes = named
      .flatMap((name) => file.variables.get(name) ?? [])
      .filter((one) => one.metadata.shape.length === 2);
    const [x, y] = [planes.find((one) => isAlong(one, 'x')), planes.find((one) => isAlong(one, 'y'))];
    if (x === undefined || y === undefined) continue;
    const [rows, columns] = x.metadata.dimensions;
    const [down, across] = [rows, columns].map((name) => own.find((one) => name !== undefined && one.name === name));
    if (down === undefined || across === undefined || down === across) continue;
    const isSame = y.metadata.dimensions.every((name, d) => name === x.metadata.dimensions[d]);
    if (!isSame || [down, across].some((one) => 'order' in one || hasPlace(file, one))) continue;
    return cellsOf(file, variable, { x, y, down, across }, context);
  }
  return undefined;
}

function isAlong({ metadata: { attributes } }: CfVariable, axis: 'x' | 'y'): boolean {
  const standard = textOf(attributes.standard_name);
  return standard === undefined
    ? inDegrees[axis].test(textOf(attributes.units) ?? '')
    : standardNames[axis].includes(standard);
}

/** Whether rows or columns have coordinates that are more than numbers. */
function hasPlace(file: CfFile, { name }: Dimension): boolean {
  const { standard_name, units, axis } = coordinateOf(file, name)?.metadata.attributes ?? {};
  return standard_name !== undefined || units !== undefined || axis !== undefined;
}

async function cellsOf(
  file: CfFile,
  variable: CfVariable,
  { x, y, down, across }: { x: CfVariable; y: CfVariable; down: Dimension; across: Dimension },
  context: CfContext,
): Promise<CurvilinearCells | undefined> {
  const lengths = [down.length, across.length] as const;
  const pair = `'${shortened(x.metadata.name)}' and '${shortened(y.metadata.name)}'`;
  const mapping = gridMappingOf(variable, x.metadata.name);
  let crs =
    mapping !== undefined && file.variables.has(mapping) ? await crsOfMapping(file, mapping, context) : undefined;
  const geographic = isLongitude(x);
  // A grid mapping of x and y does not hold for longitudes and latitudes beside them.
  if (geographic && (crs === undefined || (await resolveCrs(crs))?.geographic === false)) {
    context.remark(`The coordinates ${pair} were taken as WGS 84 (EPSG:4326).`);
    crs = wgs84;
  }
  const factor = crs === undefined || geographic ? 1 : await factorOf(crs, x);
  const centres = async (of: CfVariable) => (await realNumbers(of)).map((value) => value * factor);
  const [alongX, alongY] = [await centres(x), await centres(y)];
  const fits = [x, y].every(({ metadata: { shape } }) => shape[0] === lengths[0] && shape[1] === lengths[1]);
  if (!fits || !alongX.every(Number.isFinite) || !alongY.every(Number.isFinite)) {
    context.remark(`The cells have no place: ${pair} lack values.`);
    return undefined;
  }
  if (geographic) unwrap(alongX, across.length);
  const bounds = [
    await boundsOf(file, x, lengths, { factor, ...(geographic ? { around: alongX } : {}) }),
    await boundsOf(file, y, lengths, { factor }),
  ];
  const names = [x.metadata.name, y.metadata.name];
  if (bounds.every((one) => one !== undefined))
    return { x: across, y: down, crs, nodeX: bounds[0]!, nodeY: bounds[1]!, names };
  if (Math.min(...lengths) < 2) {
    context.remark(`The cells have no place: ${pair} have a single row or column, and no bounds.`);
    return undefined;
  }
  context.remark(`The corners of the cells lie in the middle between the centres ${pair}.`);
  return { x: across, y: down, crs, nodeX: between(alongX, lengths), nodeY: between(alongY, lengths), names };
}

/** Longitudes that do not jump from one cell to the next. */
function unwrap(longitudes: Float64Array, width: number): void {
  for (let n = 1; n < longitudes.length; n++) {
    const before = longitudes[n % width === 0 ? n - width : n - 1]!;
    longitudes[n] = nextTo(longitudes[n]!, before);
  }
}

/** The longitude of the same place that is next to another one. */
const nextTo = (longitude: number, other: number): number => longitude - 360 * Math.round((longitude - other) / 360);

/**
 * The corners of cells without gaps between them; undefined if the file has none.
 * @param around longitudes of the centres, next to which those of the corners lie
 */
async function boundsOf(
  file: CfFile,
  { metadata }: CfVariable,
  [height, width]: readonly [number, number],
  { factor, around }: { factor: number; around?: Float64Array },
): Promise<Float64Array | undefined> {
  const bounds = file.variables.get(textOf(metadata.attributes.bounds) ?? '');
  const shape = bounds?.metadata.shape ?? [];
  if (bounds === undefined || shape.length !== 3 || shape[0] !== height || shape[1] !== width || shape[2] !== 4)
    return undefined;
  const values = (await realNumbers(bounds)).map((value) => value * factor);
  const nodes = new Float64Array((height + 1) * (width + 1)).fill(Number.NaN);
  // Around a cell: this row and column, the next column, both next, the next row.
  const corners = [0, 1, width + 2, width + 1];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      for (const [n, offset] of corners.entries()) {
        const node = row * (width + 1) + column + offset;
        const cell = row * width + column;
        const stored = values[4 * cell + n]!;
        const value = around === undefined ? stored : nextTo(stored, around[cell]!);
        if (!Number.isFinite(value) || (!Number.isNaN(nodes[node]) && nodes[node] !== value)) return undefined;
        nodes[node] = value;
      }
  return nodes;
}

/** Corners in the middle of four centres; those at the rim lie as far outside as the next ones lie inside. */
function between(centres: Float64Array, [height, width]: readonly [number, number]): Float64Array {
  const at = (row: number, column: number): number => {
    if (row < 0) return 2 * at(0, column) - at(1, column);
    if (row >= height) return 2 * at(height - 1, column) - at(height - 2, column);
    if (column < 0) return 2 * at(row, 0) - at(row, 1);
    if (column >= width) return 2 * at(row, width - 1) - at(row, width - 2);
    return centres[row * width + column]!;
  };
  const nodes = new Float64Array((height + 1) * (width + 1));
  for (let row = 0; row <= height; row++)
    for (let column = 0; column <= width; column++)
      nodes[row * (width + 1) + column] =
        (at(row - 1, column - 1) + at(row - 1, column) + at(row, column - 1) + at(row, column)) / 4;
  return nodes;
}
