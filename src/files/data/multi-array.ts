import type { Crs } from './crs-reference.ts';
import type { Affine } from './grid.ts';
import type { Axis, Item, Samples } from './item.ts';
import type { Origin } from './origin.ts';
import type { Places } from './places.ts';
import type { TimeAxis } from './time-axis.ts';

/** A variable over some of the array's dimensions. */
export interface ArrayItem extends Item {
  /** Indices of its dimensions in `MultiArray.axes`, from slowest to fastest. */
  readonly axes: readonly number[];
  /** Whether it has values per step of the time axis; otherwise they are constant. */
  readonly overTime: boolean;
}

/** Georeference of two dimensions, or three of curvilinear cells: an affine transform, or node coordinates. */
export type Placement =
  | { readonly by: 'affine'; readonly x: number; readonly y: number; readonly affine: Affine }
  | {
      readonly by: 'nodes';
      readonly x: number;
      readonly y: number;
      /** Corners of the cells, (ny + 1) rows of (nx + 1); in space (nz + 1) levels of them, from the lowest. */
      readonly nodeX: Float64Array;
      readonly nodeY: Float64Array;
      /** Heights of the corners of cells in space, and the dimension of the layers. */
      readonly space?: { readonly z: number; readonly nodeZ: Float64Array };
    };

/**
 * Items over named dimensions and time, for data that a `Grid` cannot describe: curvilinear cells, layers of different
 * thickness, spectra. Read in rectangular blocks (hyperslabs).
 */
export interface MultiArray {
  readonly kind: 'array';
  readonly crs?: Crs;
  readonly axes: readonly Axis[];
  /** Absent: the array is not georeferenced. */
  readonly placement?: Placement;
  /** Where values lie that are no cells; set by queries of values, read by `NetCdfWriter`. */
  readonly places?: Places;
  readonly items: readonly ArrayItem[];
  /** Absent: one step without a time. */
  readonly time?: TimeAxis;
  readonly origin?: Origin;
  /**
   * Reads a block (hyperslab) of an item at a step: first index and size per dimension of the item; the last dimension
   * varies fastest. An item that is constant over time ignores the step.
   */
  read(item: number, step: number, start: readonly number[], shape: readonly number[]): Promise<Samples>;
}
