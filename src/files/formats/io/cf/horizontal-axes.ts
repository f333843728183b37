import type { Crs } from '../../../data/crs-reference.ts';
import { FormatError } from '../../../errors.ts';
import { describeCrs, wgs84 } from '../../../geo/crs/crs.ts';
import { coordinateOf, isLongitude, remarkOnLine, unitSize } from './coordinates.ts';
import { type Dimension, type Dimensions, lineOf, type View } from './dimensions.ts';
import { crsOfMapping, gridMappingOf } from './grid-mapping.ts';
import { type CfContext, type CfFile, type CfVariable, shortened } from './variable.ts';

/** Where the data lie: x and y of the first variable that has both, and their coordinate system. */
export interface HorizontalAxes {
  readonly x: Dimension;
  readonly y: Dimension;
  readonly crs: Crs | undefined;
}

export async function placeOf(
  file: CfFile,
  views: readonly View[],
  dimensions: Dimensions,
  context: CfContext,
): Promise<HorizontalAxes | undefined> {
  const view = views.find(({ own }) => own.some(({ role }) => role === 'x') && own.some(({ role }) => role === 'y'));
  if (view === undefined) return undefined;
  const x = view.own.find(({ role }) => role === 'x')!;
  const y = view.own.find(({ role }) => role === 'y')!;
  const variable = coordinateOf(file, x.name);
  const mapping = gridMappingOf(view.variable, x.name);
  if (mapping !== undefined && file.variables.has(mapping)) {
    const crs = await crsOfMapping(file, mapping, context);
    if (crs !== undefined) dimensions.factor = await factorOf(crs, variable);
    return { x, y, crs };
  }
  if (mapping !== undefined) context.remark(`The grid mapping '${shortened(mapping)}' is not in the file.`);
  if (variable === undefined || !isLongitude(variable)) return { x, y, crs: undefined };
  context.remark('The file names no coordinate system; its longitudes and latitudes were taken as WGS 84 (EPSG:4326).');
  return { x, y, crs: wgs84 };
}

/** Coordinates may be in another unit than their system, such as kilometres. */
export async function factorOf(crs: Crs, x: CfVariable | undefined): Promise<number> {
  const size = x && unitSize(x);
  if (size === undefined) return 1;
  try {
    const { geographic, unit } = await describeCrs(crs);
    return geographic || Math.abs(size / unit.factor - 1) < 1e-9 ? 1 : size / unit.factor;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return 1;
  }
}

/** The corner of the first cell, and the size of cells, of x and y that are even. */
export async function affineOf({ x, y }: Pick<HorizontalAxes, 'x' | 'y'>, dimensions: Dimensions, context?: CfContext) {
  const [alongX, alongY] = [await lineOf(x, dimensions), await lineOf(y, dimensions)];
  if (alongX?.line === undefined || alongY?.line === undefined) return undefined;
  if (context !== undefined) for (const along of [alongX, alongY]) remarkOnLine(along, context);
  const reversed = alongX.line.step < 0;
  const dx = Math.abs(alongX.line.step);
  const west = reversed ? alongX.line.first - (x.length - 1) * dx : alongX.line.first;
  const { first, step: dy } = alongY.line;
  return [west - dx / 2, dx, 0, first - dy / 2, 0, dy] as const;
}
