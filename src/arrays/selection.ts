import type { Indices } from 'hydrofiles/data';
import type { Bounds } from './cell-grid.ts';
import type { OutputAxis } from './output-axis.ts';

/** Selection parameters of a request, in the coordinate system of the data. */
export interface Choice {
  readonly point?: { readonly x: number; readonly y: number };
  readonly box?: Bounds;
  /** Numbers of elements, or of nodes of an item at nodes, as files number them. */
  readonly elements?: readonly number[];
  /** Number of the layer from 0, the lowest. */
  readonly layer?: number;
}

/** Where the values of an item are in its array, besides time, and the coordinates they get. */
export interface Selection {
  /** Indices for each dimension of the array besides time. */
  readonly indices: readonly Indices[];
  /** Axes of the returned values, in order. */
  readonly axes: readonly OutputAxis[];
  /** Coordinates that all values share. */
  readonly shared: readonly OutputAxis[];
  /** Positions among the values of the last two dimensions that are kept; absent: all. */
  readonly kept?: Uint32Array;
  /** The values lie at one place, or at places of no grid. */
  readonly shape: 'grid' | 'points' | 'place' | 'none';
  /** The places were listed one by one. */
  readonly isList?: true;
}

export const all = (length: number): Indices => ({ first: 0, length });
