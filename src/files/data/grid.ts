import type { Crs } from './crs-reference.ts';
import type { ExactIntegers, Item, Samples, SampleType } from './item.ts';
import type { Origin } from './origin.ts';
import { stepsOf, type TimeAxis } from './time-axis.ts';

/**
 * GDAL geotransform, corner based: x = t[0] + column · t[1] + row · t[2], y = t[3] + column · t[4] + row · t[5],
 * where (0, 0) is the outer corner of the first cell and rows count from the first row of `rows()`.
 */
export type Affine = readonly [number, number, number, number, number, number];

/** Side of the cells; of the smaller side where they are not square. */
export const cellSize = ({ affine: [, a, b, , c, d] }: { readonly affine: Affine }): number =>
  Math.min(Math.hypot(a, c), Math.hypot(b, d));

/** An item of a grid. */
export interface Band extends Item {
  /** Colour interpretation. */
  readonly role?: 'red' | 'green' | 'blue' | 'alpha' | 'palette';
  /** Colours of the values 0, 1, 2 … of a palette: all reds, all greens, all blues, 0 to 65535. */
  readonly palette?: readonly number[];
}

/**
 * Equidistant horizontal layers: the centre of layer k is at `first + k · spacing`, positive up; layer 0 is the lowest.
 */
export interface LayerAxis {
  readonly count: number;
  readonly first: number;
  readonly spacing: number;
  readonly unit?: string;
}

/** Indices (from 0) of one raster of a grid. All members are required, so that no code can forget one. */
export interface Slice {
  readonly band: number;
  readonly step: number;
  readonly layer: number;
}

/** Whole rows of one slice: `samples.length === rowCount * width`. The samples belong to the caller. */
export interface RowBlock {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly samples: Samples;
  /** Exact values of a band of 64-bit integers; absent if a transformation has rounded them. */
  readonly exact?: ExactIntegers;
}

/** Rows `first … end - 1`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
  /** The only columns that are needed, from `first` to `end - 1`: values of others mean nothing. */
  readonly columns?: { readonly first: number; readonly end: number };
}

/** Rasters with the same cells. Row 0 is the first row of the file, which is the top row if `affine[5] < 0`. */
export interface Grid {
  readonly kind: 'grid';
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
  /** Not georeferenced: `affine` counts columns and rows. */
  readonly located?: false;
  /** Places of the cells of a grid of one row along a line, whose columns count the distance; in the system `crs`. */
  readonly places?: { readonly x: Float64Array; readonly y: Float64Array };
  readonly crs?: Crs;
  /** At least one. */
  readonly bands: readonly Band[];
  /** Absent: one step without a time. */
  readonly time?: TimeAxis;
  /** Absent: one layer without a height. */
  readonly layers?: LayerAxis;
  readonly origin?: Origin;
  /**
   * All rows of a slice, in order. May be called again, but iterations must not overlap. Blocks without any of the
   * rows of `range` may be left out.
   */
  rows(slice: Slice, range?: RowRange): AsyncIterable<RowBlock>;
  /**
   * Reads any rows of a slice; only if the format supports it cheaply (`spill.ts` makes such a grid). Then all bands
   * have a type.
   */
  read?(slice: Slice, firstRow: number, rowCount: number): Promise<Samples>;
}

/** A grid whose types are known before its rows are pulled. */
export type TypedGrid = Grid & { readonly bands: readonly TypedBand[] };
export type TypedBand = Band & { readonly type: SampleType };

/** A grid whose rows can be read in any order. */
export type RandomGrid = TypedGrid & { readonly read: NonNullable<Grid['read']> };

/** The only slice of a grid with one band, step and layer. */
export const firstSlice: Slice = { band: 0, step: 0, layer: 0 };

type Extents = Pick<Grid, 'time' | 'layers'>;

export const layersOf = ({ layers }: Pick<Grid, 'layers'>): number => layers?.count ?? 1;

/** Number of slices of one band. */
export const slicesPerBand = (grid: Extents): number => stepsOf(grid) * layersOf(grid);

/** Index of a slice in `slicesOfBand`. */
export const sliceNumber = (grid: Extents, { step, layer }: Pick<Slice, 'step' | 'layer'>): number =>
  step * layersOf(grid) + layer;

/** The slices of a band: by step, then by layer from the lowest. */
export function* slicesOfBand(grid: Extents, band: number): Generator<Slice> {
  for (let step = 0; step < stepsOf(grid); step++)
    for (let layer = 0; layer < layersOf(grid); layer++) yield { band, step, layer };
}
