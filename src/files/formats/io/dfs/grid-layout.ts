import { type Affine, type Grid, layersOf } from '../../../data/grid.ts';
import { ConversionError } from '../../../errors.ts';
import { sameCrs } from '../../../geo/crs/crs.ts';
import type { Context } from '../../define.ts';
import { type DfsAxis, equidistantAxis } from './axes.ts';
import { storedPlace } from './grid-place.ts';
import type { DfsCustomBlock, DfsHeader, DfsProjection } from './header.ts';
import { type DfsContent, type ReadPlace, storedPlaceOf } from './origin.ts';
import { projectionText } from './projection.ts';
import { toDfsArray } from './typed-array.ts';

export type GridFormat = 'dfs1' | 'dfs2' | 'dfs3';

/** Members of the header of a new file: the position of the grid, and what is kept of the source file. */
export interface GridLayout
  extends Partial<Pick<DfsHeader, 'projection' | 'custom' | 'statics' | 'compressed' | 'unknown'>> {
  readonly axis: DfsAxis;
}

/**
 * If the grid still has the position of its source file, the file's axis, projection, static items and compression are
 * kept; the compression only if no other cells can have values.
 * @param grid with the southern row first
 */
export async function layoutOfGrid(
  grid: Grid,
  format: GridFormat,
  from: DfsContent | undefined,
  context: Context,
): Promise<GridLayout> {
  checkShape(grid, format);
  const header = from !== undefined && grid.origin?.format === format ? from.file.header : undefined;
  if (from !== undefined && header !== undefined && from.crs === grid.crs && isSamePosition(grid, from.place)) {
    const { projection, custom, statics, compressed, unknown } = header;
    const kept = { axis: header.items[0]!.axis, ...(projection && { projection }), custom, unknown };
    if (!compressed || grid.origin?.filled !== true) return { ...kept, statics, compressed };
    if (statics.length > 3)
      context.reportLoss('Static items were left out, because they have values of the stored cells of the input only.');
    return kept;
  }
  if (header?.statics.some((_, n) => !header.compressed || n > 2))
    context.reportLoss('Static items were left out, because the grid no longer has their cells.');
  const { projection, ...placed } = await newPlace(grid, format, from, context);
  const custom = header === undefined ? {} : { custom: await turnedCustom(header.custom, projection?.rotation ?? 0) };
  return { ...placed, ...(projection && { projection }), ...custom };
}

function checkShape(grid: Grid, format: GridFormat): void {
  if (format === 'dfs1' && grid.height !== 1)
    throw new ConversionError(`A DFS1 file holds one row of values, but the grid has ${grid.height}.`);
  if (format !== 'dfs3' && layersOf(grid) > 1)
    throw new ConversionError(
      `A DFS${format[3]} file holds one layer, but the grid has ${layersOf(grid)}. Choose one with a verticalFilter, or write a DFS3 file.`,
    );
}

export const isSamePosition = ({ affine, width, height, layers }: Grid, place: ReadPlace | undefined): boolean =>
  place !== undefined &&
  place.width === width &&
  place.height === height &&
  place.layers === layers?.count &&
  place.firstLayer === layers?.first &&
  affine.every((value, n) => value === place.affine[n]);

interface NewPlace {
  axis: DfsAxis;
  projection?: DfsProjection;
}

async function newPlace(
  grid: Grid,
  format: GridFormat,
  from: DfsContent | undefined,
  context: Context,
): Promise<NewPlace> {
  const { width, height, crs, layers } = grid;
  const stored = storedPlaceOf(grid);
  if (stored?.axis?.spacing.length === 2 * Number(format[3]) && isSamePosition(grid, stored.place)) {
    const { unit, spacing } = stored.axis;
    const counts = [width, height, layersOf(grid)].slice(0, Number(format[3]));
    const axis = equidistantAxis(counts, spacing.slice(0, counts.length), spacing.slice(counts.length), unit);
    return { axis, projection: stored.projection };
  }
  if (format === 'dfs1') return newLine(grid, from);
  const affine: Affine =
    grid.located === false ? [0, Math.abs(grid.affine[1]), 0, 0, 0, Math.abs(grid.affine[5])] : grid.affine;
  const text = await projectionTextOf(grid, from);
  if (grid.located === false && crs !== undefined)
    throw new ConversionError(
      `The coordinate system '${text.slice(0, 80)}' is not known, so the new position of the grid cannot be computed. Give SRID to the reader.`,
    );
  const { longitude, latitude, rotation, dx, dy } = await storedPlace(affine, crs);
  reportSpacing([width, height], [dx, dy], context);
  const projection = { text, longitude, latitude, rotation };
  if (format === 'dfs2') return { axis: equidistantAxis([width, height], [0, 0], [dx, dy]), projection };
  const { count, first, spacing } = layers ?? { count: 1, first: 0, spacing: 1 };
  return { axis: equidistantAxis([width, height, count], [0, 0, first], [dx, dy, spacing]), projection };
}

/** Only the distances along a line are known, not its coordinates. */
async function newLine(grid: Grid, from: DfsContent | undefined): Promise<NewPlace> {
  const [x, dx] = grid.affine;
  const axis = equidistantAxis([grid.width], [x + dx / 2], [dx]);
  const kept = from !== undefined && from.crs === grid.crs ? from.file.header.projection : undefined;
  if (kept !== undefined) return { axis, projection: kept };
  return { axis, projection: { text: await projectionText(grid.crs), longitude: 0, latitude: 0, rotation: 0 } };
}

/** The projection text of the source file if the coordinate system is unchanged. */
async function projectionTextOf({ crs }: Grid, from: DfsContent | undefined): Promise<string> {
  const text = from?.file.header.projection?.text;
  if (text !== undefined && from?.crs !== undefined && crs !== undefined)
    if (from.crs === crs || (await sameCrs(from.crs, crs).catch(() => false))) return text;
  return projectionText(crs);
}

/** Maximum displacement of the last cell, as a share of a cell. */
const maxDrift = 1e-3;

/** Spacing is stored in single precision. */
function reportSpacing(counts: readonly number[], spacing: readonly number[], { reportLoss, remark }: Context): void {
  for (const [n, step] of spacing.entries()) {
    const drift = Math.abs(Math.fround(step) - step) * counts[n]!;
    if (drift === 0) continue;
    if (drift <= maxDrift * step)
      remark(`DFS files store the size of cells in single precision: ${step} became ${Math.fround(step)}.`);
    else
      reportLoss(
        `DFS files store the size of cells in single precision: ${step} became ${Math.fround(step)}, which displaces the last cell by ${(drift / step).toPrecision(2)} cells.`,
      );
  }
}

/** The block of MIKE 21 repeats the rotation as its first number. */
const MIKE21 = 'M21_Misc';

const turnedCustom = (blocks: readonly DfsCustomBlock[], rotation: number): Promise<DfsCustomBlock[]> =>
  Promise.all(
    blocks.map(async (block) => {
      if (block.name !== MIKE21 || block.values.count === 0) return block;
      const values = (await block.values.load()).slice();
      values[0] = rotation;
      return { ...block, values: toDfsArray(values) };
    }),
  );
