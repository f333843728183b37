import type { Band, Grid, Slice } from '../../data/grid.ts';
import { outlineOf } from '../vector/outline.ts';
import type { Canvas, Colour } from './canvas.ts';
import { nodataColour, scaleOf } from './colours.ts';
import type { Heading } from './figure.ts';
import { type Averages, averagesOf } from './grid-averages.ts';
import { reliefPixels } from './grid-preview.ts';
import { reliefLegend } from './hillshade.ts';
import { type MapFigure, mapFigure } from './map-figure.ts';

/** Larger grids are averaged to fewer columns and rows. */
const maxCells = 1600;

export interface GridPicture extends Heading {
  readonly unit?: string | undefined;
  /** Drawn as shaded relief; else with colours only. */
  readonly relief: boolean;
}

/** Draws a slice as a map, also of a rotated grid. Cells without data are grey, on a transparent ground not drawn. */
export async function gridPicturePng(
  grid: Grid,
  slice: Slice,
  { relief, unit, ...heading }: GridPicture,
): Promise<Uint8Array<ArrayBuffer>> {
  const cells = await averagesOf(grid, slice, heading.side ?? maxCells);
  if (relief) {
    const scale = reliefLegend(cells.values);
    return painted(grid, cells, { ...heading, legend: scale && { scale, unit } }, reliefOf(grid, cells));
  }
  const scale = scaleOf(cells.values);
  const colourOf = (cell: number): Colour | undefined => {
    const value = cells.values[cell]!;
    return scale === undefined || Number.isNaN(value) ? undefined : scale.colour(value);
  };
  return painted(grid, cells, { ...heading, legend: scale && { scale, unit } }, colourOf);
}

/** Undefined for a cell without data. */
type ColourOf = (cell: number) => Colour | undefined;
type Plan = Omit<Parameters<typeof mapFigure>[0], 'box' | 'crs'>;

function painted(grid: Grid, cells: Averages, plan: Plan, colourOf: ColourOf): Uint8Array<ArrayBuffer> {
  const { x, y } = outlineOf(grid);
  const box = [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)] as const;
  const figure = mapFigure({ ...plan, box, crs: grid.crs });
  paintCells(figure, figure.canvas, grid, cells, colourOf);
  return figure.png();
}

/** Each pixel has the colour of the cell that contains its centre. */
function paintCells(
  figure: MapFigure,
  canvas: Canvas,
  grid: Grid,
  { width, factor }: Averages,
  colourOf: ColourOf,
): void {
  const [x0, a, b, y0, c, d] = grid.affine;
  const determinant = a * d - b * c;
  if (determinant === 0) return;
  const nodata = canvas.ground && nodataColour;
  const { left, top, right, bottom } = figure.frame;
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const [dx, dy] = [figure.easting(column + 0.5) - x0, figure.northing(row + 0.5) - y0];
      const [across, down] = [(d * dx - b * dy) / determinant, (a * dy - c * dx) / determinant];
      if (across < 0 || down < 0 || across >= grid.width || down >= grid.height) continue;
      const colour = colourOf(Math.floor(down / factor) * width + Math.floor(across / factor)) ?? nodata;
      if (colour !== undefined) canvas.set(column, row, colour);
    }
}

/** Light comes from the north-west of the map if the grid is not rotated. */
function reliefOf(grid: Grid, averages: Averages): ColourOf {
  const { width, height } = averages;
  const rgba = reliefPixels(grid, averages);
  const isSouthUp = grid.affine[5] > 0;
  return (cell) => {
    const row = Math.floor(cell / width);
    const at = 4 * ((isSouthUp ? height - 1 - row : row) * width + (cell % width));
    return rgba[at + 3] === 0 ? undefined : [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!];
  };
}

/** Colour bands of an image: red, green and blue, or one band of palette indices. */
export interface ColourBands {
  readonly bands: readonly number[];
  readonly palette?: readonly number[];
}

export function colourBands(bands: readonly Band[]): ColourBands | undefined {
  const rgb = (['red', 'green', 'blue'] as const).map((role) => bands.findIndex((band) => band.role === role));
  if (rgb.every((band) => band >= 0)) return { bands: rgb };
  const paletted = bands.findIndex(({ role, palette }) => role === 'palette' && palette !== undefined);
  return paletted < 0 ? undefined : { bands: [paletted], palette: bands[paletted]!.palette! };
}

/** Draws an image in its own colours. */
export async function imagePicturePng(
  grid: Grid,
  { bands, palette }: ColourBands,
  place: Omit<Slice, 'band'>,
  heading: Heading,
): Promise<Uint8Array<ArrayBuffer>> {
  const pulled: Averages[] = [];
  for (const band of bands)
    pulled.push(
      await averagesOf(grid, { ...place, band }, heading.side ?? maxCells, { nearest: palette !== undefined }),
    );
  const most = Math.max(
    255,
    ...pulled.map(({ values }) => values.reduce((one, other) => (other > one ? other : one), 0)),
  );
  const colourOf = (cell: number): Colour | undefined => {
    const values = pulled.map((one) => one.values[cell]!);
    if (values.some(Number.isNaN)) return undefined;
    if (palette === undefined) return values.map((value) => Math.round((255 * value) / most)) as unknown as Colour;
    const [size, at] = [palette.length / 3, values[0]!];
    return [0, 1, 2].map((channel) => (palette[channel * size + at] ?? 0) >> 8) as unknown as Colour;
  };
  return painted(grid, pulled[0]!, heading, colourOf);
}
