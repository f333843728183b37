import type { Crs } from './crs-reference.ts';
import type { ExactIntegers, Item, Samples, SampleType } from './item.ts';
import type { Origin } from './origin.ts';
import type { TimeAxis } from './time-axis.ts';
import { stepsOf } from './time-axis.ts';

/**
 * GDAL's order, corner based: x = t[0] + column · t[1] + row · t[2], y = t[3] + column · t[4] + row · t[5],
 * where (0, 0) is the outer corner of the first cell and rows count from the first row of `rows()`.
 */
export type Affine = readonly [number, number, number, number, number, number];

/** An item of a grid. */
export interface Band extends Item {
  /** What the samples are in a picture. */
  readonly role?: 'red' | 'green' | 'blue' | 'alpha' | 'palette';
  /** Colours of the values 0, 1, 2 … of a palette: all reds, all greens, all blues, 0 to 65535. */
  readonly palette?: readonly number[];
}

/** Horizontal layers at equal distances: layer k has its centre at `first + k · spacing`, positive up; 0 is the lowest. */
export interface LayerAxis {
  readonly count: number;
  readonly first: number;
  readonly spacing: number;
  readonly unit?: string;
}

/** One raster of a grid: a band at a step, on a layer; each counts from 0. No member is optional, so that no code can forget one. */
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
  /** Of a band of 64-bit integers, where nothing on the way from the file has rounded them. */
  readonly exact?: ExactIntegers;
}

/** Rows `first … end - 1`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** Rasters of the same cells in memory order: row 0 is the first row of the file, the top one when `affine[5] < 0`. */
export interface Grid {
  readonly kind: 'grid';
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
  /** The file does not say where it is: `affine` only counts cells. */
  readonly located?: false;
  readonly crs?: Crs;
  /** At least one. */
  readonly bands: readonly Band[];
  /** Absent: one step without a time. */
  readonly time?: TimeAxis;
  /** Absent: one layer without a height. */
  readonly layers?: LayerAxis;
  readonly origin?: Origin;
  /**
   * All rows of a slice, in order. May be called again; one iteration at a time. Where only some rows are `wanted`, blocks that hold
   * none of them may be left out.
   */
  rows(slice: Slice, wanted?: RowRange): AsyncIterable<RowBlock>;
  /** Any rows of a slice, where the format can give them cheaply (`spill.ts` makes a grid that can). Types of all bands are known then. */
  read?(slice: Slice, firstRow: number, rowCount: number): Promise<Samples>;
}

/** A grid whose types are known before its rows are pulled. */
export type TypedGrid = Grid & { readonly bands: readonly TypedBand[] };
export type TypedBand = Band & { readonly type: SampleType };

/** A grid whose rows can be read in any order. */
export type RandomGrid = TypedGrid & { readonly read: NonNullable<Grid['read']> };

/** The only slice of a grid without further bands, steps and layers. */
export const firstSlice: Slice = { band: 0, step: 0, layer: 0 };

type Extents = Pick<Grid, 'time' | 'layers'>;

export const layersOf = ({ layers }: Pick<Grid, 'layers'>): number => layers?.count ?? 1;

/** Of one band, in the order of `slicesOfBand`. */
export const slicesPerBand = (grid: Extents): number => stepsOf(grid) * layersOf(grid);

/** The place of a slice among those of its band. */
export const sliceNumber = (grid: Extents, { step, layer }: Pick<Slice, 'step' | 'layer'>): number =>
  step * layersOf(grid) + layer;

/** Each step of a band, and in it each layer from the lowest. */
export function* slicesOfBand(grid: Extents, band: number): Generator<Slice> {
  for (let step = 0; step < stepsOf(grid); step++)
    for (let layer = 0; layer < layersOf(grid); layer++) yield { band, step, layer };
}
