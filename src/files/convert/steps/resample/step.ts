import type { Data } from '../../../data/data.ts';
import type { Grid, TypedBand, TypedGrid } from '../../../data/grid.ts';
import { isFloat, nodataOf } from '../../../data/samples.ts';
import { ConversionError } from '../../../errors.ts';
import { gridOfArray, isPlaced } from '../../../formats/io/grid-of-array.ts';
import { roundedIntegers, spill } from '../../../formats/io/spill.ts';
import { covers } from '../../../geo/resample/pixel-map.ts';
import {
  type ResampledBand,
  type ResampleMethod,
  resampleGrid,
  type TargetCells,
} from '../../../geo/resample/resample-grid.ts';
import { meshToGrid } from '../../bridges/mesh-to-grid.ts';
import { canStream, reportNodataClashes } from '../nodata-clashes.ts';
import type { StepContext } from '../step-context.ts';
import { targetCells } from './target-cells.ts';
import type { ResampleTransformation, WantedCells } from './transformation.ts';

/** Resamples a grid to other cells; a mesh or an array becomes a grid first. */
export async function apply(data: Data, step: ResampleTransformation, shared: StepContext): Promise<Grid> {
  const { context, resources } = shared;
  const grid = gridOf(data, step, shared);
  const target = await targetCells(grid, step, shared);
  if (sameCells(grid, target)) return grid;
  if (grid.places !== undefined)
    context.reportLoss('The places (x, y) of the points along the line were left out: they are those of other cells.');
  const { read: _, ...rounded } = roundedIntegers(grid, context);
  let spilled: ReturnType<typeof spill> | undefined;
  const randomAccess = async () => {
    if (spilled === undefined) {
      spilled = spill(rounded, context.scratch);
      resources.use(await spilled);
    }
    return (await spilled).grid;
  };
  // cells that the source covers have values, so that a band without nodata value needs none
  const covered = covers(grid, target);
  const streams = canStream(rounded) || (covered && isTyped(rounded));
  shared.readFirst ||= !streams;
  const source: TypedGrid = streams ? rounded : await randomAccess();
  const typed: readonly TypedBand[] = source.bands;
  const bands = typed.map((band) => resampledBand(band, step.method, covered));
  const resampled = resampleGrid(source, target, bands, randomAccess);
  if (!streams) await reportNodataClashes(source, resampled, context);
  const words = [...new Set(bands.map(({ method }) => method))].join(', ');
  context.remark(
    `The grid was resampled from ${grid.width} × ${grid.height} to ${target.width} × ${target.height} cells: ${words}.`,
  );
  return resampled;
}

/** The data as a grid, of a mesh with cells of the size that is asked for. */
function gridOf(data: Data, { cellSize }: WantedCells, { context }: StepContext): Grid {
  if (data.kind === 'grid') return data;
  if (data.kind === 'mesh')
    return meshToGrid(data, { parameters: cellSize === undefined ? {} : { CellSize: Math.min(...cellSize) }, context });
  if (data.kind === 'array' && isPlaced(data)) return gridOfArray(data, true, context);
  throw new ConversionError('The data have no evenly spaced cells, so they cannot be resampled.');
}

const isTyped = (grid: Grid): grid is TypedGrid => grid.bands.every(({ type }) => type !== undefined);

const sameCells = (grid: Grid, { width, height, affine }: TargetCells): boolean =>
  grid.width === width && grid.height === height && grid.affine.every((one, n) => one === affine[n]);

/** Methods that give values of the source as they are. */
const chosenAsTheyAre: readonly ResampleMethod[] = ['nearest', 'min', 'max', 'mode'];

/** The band that a method makes. A sum of integers is a float: it may exceed their type. A sum has no offset. */
function resampledBand(source: TypedBand, wanted: ResampleMethod | undefined, covered: boolean): ResampledBand {
  const integers = !isFloat(source.type) || source.integer64 !== undefined;
  const method = wanted ?? (integers ? 'nearest' : 'bilinear');
  const { role, palette, exactNodata: _, ...plain } = source;
  const colours = role === undefined || role === 'palette' ? {} : { role };
  const { integer64, ...band }: TypedBand = chosenAsTheyAre.includes(method) ? source : { ...plain, ...colours };
  if (method === 'sum') {
    const { offset: __, ...summed } = band;
    if (integers) return { band: { ...summed, type: 'Float64', nodata: Number.NaN }, method };
    return { band: { ...summed, nodata: nodataOf(source.type, source.nodata) }, method };
  }
  const kept = { ...band, ...(integer64 && { integer64 }) };
  if (covered && source.nodata === undefined) return { band: kept, method };
  return { band: { ...kept, nodata: nodataOf(source.integer64 ?? source.type, source.nodata) }, method };
}
