import type { Crs } from '../../../data/crs-reference.ts';
import type { Grid } from '../../../data/grid.ts';
import { ConversionError } from '../../../errors.ts';
import { isPlaced } from '../../../formats/io/grid-of-array.ts';
import { crsName, parseSrid, sameCrs } from '../../../geo/crs/crs.ts';
import type { TargetCells } from '../../../geo/resample/resample-grid.ts';
import type { StepContext } from '../step-context.ts';
import type { WantedCells } from './transformation.ts';

/** Maximum number of cells along a side, and of all cells of a slice. */
const [MOST, MOST_CELLS] = [5_000_000, 1e11];
/** Part of a cell that an extent may exceed whole cells by, for rounding errors. */
const CLOSE = 1e-6;

/** A grid, or what its place is known of. */
type Placed = Pick<Grid, 'width' | 'height' | 'affine' | 'crs' | 'located'>;

/**
 * The cells that a transformation asks for.
 * @param grid that they are made of, whose cells and extent are the default
 * @throws ConversionError if `like` is not a grid, or in another coordinate system
 */
export async function targetCells(
  grid: Placed,
  { cellSize, extent, like, srid }: WantedCells,
  shared: StepContext,
): Promise<TargetCells> {
  if (grid.located === false && (extent !== undefined || like !== undefined))
    throw new ConversionError('The grid has no place, so it can only be resampled by cellSize.');
  if (srid !== undefined) await checkSame(grid.crs, parseSrid(srid), srid);
  if (like !== undefined) {
    const other = await shared.open(like);
    const model =
      other.kind === 'grid' ? other : other.kind === 'array' && isPlaced(other) ? placeOf(other) : undefined;
    if (model === undefined || ('located' in model && model.located === false))
      throw new ConversionError(`'${like.key}' is not a grid with a place, so it gives no cells.`);
    await checkSame(grid.crs, model.crs, `'${like.key}'`);
    return cellSize === undefined ? checked(model) : checked(withCellSize(model, cellSize));
  }
  if (extent === undefined) return checked(withCellSize(grid, cellSize!));
  const [west, south, east, north] = extent;
  const { affine } = grid;
  const [width, height] = cellSize ?? [Math.hypot(affine[1], affine[4]), Math.hypot(affine[2], affine[5])];
  // rows in the order of the source, so that it can be read from front to back
  const southFirst = affine[5] > 0 && affine[2] === 0;
  const [columns, rows] = [count(east - west, width), count(north - south, height)];
  return checked({
    width: columns,
    height: rows,
    affine: southFirst ? [west, width, 0, north - rows * height, 0, height] : [west, width, 0, north, 0, -height],
  });
}

const placeOf = ({
  crs,
  placement: { affine, x, y },
  axes,
}: Extract<Parameters<typeof isPlaced>[0], unknown> & {
  placement: { affine: Grid['affine']; x: number; y: number };
}) => ({
  ...(crs === undefined ? {} : { crs }),
  affine,
  width: axes[x]!.values.length,
  height: axes[y]!.values.length,
});

/** The same place in other cells, grown to whole ones from its upper left corner. */
function withCellSize({ width, height, affine }: Placed, [across, down]: readonly [number, number]): TargetCells {
  const [x, a, b, y, c, d] = affine;
  const [own, ownDown] = [Math.hypot(a, c), Math.hypot(b, d)];
  const [columns, rows] = [count(width * own, across), count(height * ownDown, down)];
  const [rowX, rowY] = [(b / ownDown) * down, (d / ownDown) * down];
  // where the last row is the upper one, the grid grows beyond the first
  const up = a * d - b * c > 0;
  const grown = up ? (height * ownDown) / down - rows : 0;
  return {
    width: columns,
    height: rows,
    affine: [x + grown * rowX, (a / own) * across, rowX, y + grown * rowY, (c / own) * across, rowY],
  };
}

const count = (length: number, size: number): number => Math.max(1, Math.ceil(length / size - CLOSE));

function checked({ width, height, affine }: TargetCells): TargetCells {
  if (width <= MOST && height <= MOST && width * height <= MOST_CELLS) return { width, height, affine };
  throw new ConversionError(
    `The output would have ${width} × ${height} cells; at most ${MOST} along a side and ${MOST_CELLS} in all are possible. Use larger cells.`,
  );
}

/** @throws ConversionError for two known systems that differ */
export async function checkSame(crs: Crs | undefined, other: Crs | undefined, what: string): Promise<void> {
  if (crs === undefined || other === undefined || (await sameCrs(crs, other))) return;
  throw new ConversionError(
    `The data are in ${crsName(crs)}, and ${what} ${what === crsName(other) ? 'is another system' : `is in ${crsName(other)}`}. Transform them first by crsTransformation.`,
  );
}
