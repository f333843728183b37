import type { Grid } from '../../data/grid.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import { nearestTurn, toGeographic } from '../../geo/crs/geographic-extent.ts';
import type { Box } from '../../tiles/matrices.ts';
import { TileAreas } from '../../tiles/vector/tile-area.ts';
import type { TileNumber } from '../../tiles/vector/vector-tile.ts';
import { mercatorX, mercatorY } from '../../tiles/web-mercator.ts';
import type { CellWindow } from './level-cells.ts';
import type { PlacedCells } from './raster.ts';

/** More cells than a tile shows whose cells are large enough to be drawn. */
const mostCells = 1 << 16;

/** The cells of a grid that may touch a tile, and have a value. */
export async function gridCells(
  grid: Pick<Grid, 'width' | 'height' | 'affine'>,
  crs: KnownCrs,
  tile: TileNumber,
  read: (window: CellWindow) => Promise<Float32Array>,
): Promise<PlacedCells> {
  using areas = await TileAreas.create(crs);
  const cells: Cells = { x: [], y: [], starts: [0], corners: [], ids: [], values: [] };
  for (const window of windowsOf(grid, areas.of(tile).wanted))
    if (window.width * window.rowCount <= mostCells) await addCells(cells, grid, crs, window, await read(window));
  return { ...cells, x: Float64Array.from(cells.x), y: Float64Array.from(cells.y) };
}

interface Cells {
  readonly x: number[];
  readonly y: number[];
  readonly starts: number[];
  readonly corners: number[];
  readonly ids: number[];
  readonly values: number[];
}

/** The cells that areas of the coordinate system of a grid touch; those of areas that are copies once. */
function windowsOf({ width, height, affine }: Pick<Grid, 'width' | 'height' | 'affine'>, areas: readonly Box[]) {
  const [x0, a, b, y0, c, d] = affine;
  const determinant = a * d - b * c;
  return areas.flatMap(({ west, south, east, north }): CellWindow[] => {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const x of [west, east])
      for (const y of [south, north]) {
        const column = (d * (x - x0) - b * (y - y0)) / determinant;
        const row = (a * (y - y0) - c * (x - x0)) / determinant;
        [left, right] = [Math.min(left, column), Math.max(right, column)];
        [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
      }
    [left, top] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))];
    [right, bottom] = [Math.min(width, Math.ceil(right)), Math.min(height, Math.ceil(bottom))];
    return left < right && top < bottom ? [{ left, width: right - left, firstRow: top, rowCount: bottom - top }] : [];
  });
}

async function addCells(
  cells: Cells,
  { width, affine }: Pick<Grid, 'width' | 'affine'>,
  crs: KnownCrs,
  window: CellWindow,
  values: Float32Array,
): Promise<void> {
  const [x0, a, b, y0, c, d] = affine;
  const across = window.width + 1;
  const count = across * (window.rowCount + 1);
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  for (let n = 0; n < count; n++) {
    const [column, row] = [window.left + (n % across), window.firstRow + Math.floor(n / across)];
    x[n] = x0 + column * a + row * b;
    y[n] = y0 + column * c + row * d;
  }
  await toGeographic(crs, x, y);
  const first = cells.x.length;
  const middle = x.find((one) => !Number.isNaN(one)) ?? 0;
  for (let n = 0; n < count; n++) {
    cells.x.push(mercatorX(nearestTurn(x[n]!, middle)));
    cells.y.push(mercatorY(y[n]!));
  }
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    const [column, row] = [n % window.width, Math.floor(n / window.width)];
    const corner = first + row * across + column;
    const around = [corner, corner + 1, corner + across + 1, corner + across];
    if (Number.isNaN(value) || around.some((one) => Number.isNaN(cells.x[one]! + cells.y[one]!))) continue;
    cells.corners.push(...around);
    cells.starts.push(cells.corners.length);
    cells.ids.push((window.firstRow + row) * width + window.left + column + 1);
    cells.values.push(value);
  }
}
