import { AppError } from '../errors.ts';
import type { Passed } from './convert.ts';
import type { Context } from './define.ts';
import { GridTally, watched } from './statistics.ts';
import type { Transformation } from './transformations.ts';
import type { Data, Grid } from './types.ts';

/** What became of the coordinate system: names such as `EPSG:25832`, and how coordinates were changed. */
export interface CrsChange {
  from?: string;
  to?: string;
  operation?: string;
}

/** As the record of a dataset states it. */
export interface SpatialInformation {
  /** The outline as WKT, WGS 84, longitude before latitude. */
  location?: string;
  /** WKT of the coordinate system. */
  primarySpatialReference?: string;
  srid?: number;
  /** Side of a cell in units of the coordinate system. */
  resolution?: number;
}

/** Leads a grid through its transformations to the writer, and counts what passes before and after. */
export async function passGrid(
  grid: Grid,
  steps: readonly Transformation[],
  _srid: string | undefined,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<Passed> {
  if (steps.length > 0) throw new AppError('notImplemented', 'crsTransformation is not available.');
  const before = new GridTally();
  const progress = (fraction: number) => context.progress(fraction, 'Converting');
  await write(watched(grid, before, context.signal, progress));
  const statistics = before.of(grid);
  return {
    recordsRead: before.cells,
    recordsWritten: before.cells,
    recordsSkipped: 0,
    statistics: { before: statistics, after: statistics },
    spatialInformation: { resolution: Math.abs(grid.affine[1]) },
  };
}
