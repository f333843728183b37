import type { Crs } from './crs-reference.ts';
import type { Affine } from './grid.ts';
import type { Axis, Item, Samples } from './item.ts';
import type { Origin } from './origin.ts';
import type { TimeAxis } from './time-axis.ts';

/** A variable over some of the array's dimensions. */
export interface ArrayItem extends Item {
  /** Numbers of its dimensions in `axes`, from slowest to fastest. */
  readonly axes: readonly number[];
  /** It has a value for each step of the time axis; else one for all. */
  readonly overTime: boolean;
}

/** Where the cells of two dimensions lie: on an affine plane, or at nodes of their own (curvilinear). */
export type Placement =
  | { readonly by: 'affine'; readonly x: number; readonly y: number; readonly affine: Affine }
  | {
      readonly by: 'nodes';
      readonly x: number;
      readonly y: number;
      /** Corners of the cells, (ny + 1) rows of (nx + 1). */
      readonly nodeX: Float64Array;
      readonly nodeY: Float64Array;
    };

/**
 * Items over dimensions with names, besides time: what a grid cannot say, such as curvilinear cells, layers of unequal thickness, and
 * spectra. Parts are read as rectangular blocks.
 */
export interface MultiArray {
  readonly kind: 'array';
  readonly crs?: Crs;
  readonly axes: readonly Axis[];
  /** Absent: no dimension of the array lies on the earth. */
  readonly placement?: Placement;
  readonly items: readonly ArrayItem[];
  /** Absent: one step without a time. */
  readonly time?: TimeAxis;
  readonly origin?: Origin;
  /**
   * The block of an item at a step that begins at index `start` of each of its dimensions and has `shape` indices, the last dimension
   * fastest. An item that is not over time ignores the step.
   */
  read(item: number, step: number, start: readonly number[], shape: readonly number[]): Promise<Samples>;
}
