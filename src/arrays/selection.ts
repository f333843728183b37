import type { Indices } from 'hydrofiles/data';
import type { Bounds } from './cell-grid.ts';
import type { OutputAxis } from './output-axis.ts';

/** What a request asks for, in the coordinate system of the data. */
export interface Choice {
  readonly point?: { readonly x: number; readonly y: number };
  readonly box?: Bounds;
  /** Numbers of elements, or of nodes of an item at nodes, as files number them. */
  readonly elements?: readonly number[];
  /** From 0, the lowest. */
  readonly layer?: number;
}

/** Where the values of an item are in its array, besides time, and the coordinates they get. */
export interface Selection {
  /** Of each dimension of the array besides time. */
  readonly indices: readonly Indices[];
  /** Of the values that come back, in order. */
  readonly axes: readonly OutputAxis[];
  /** Coordinates that all values share. */
  readonly shared: readonly OutputAxis[];
  /** Positions among the values of the last two dimensions that are kept; absent: all. */
  readonly kept?: Uint32Array;
  /** The values lie at one place, or at places of no grid. */
  readonly shape: 'grid' | 'points' | 'place' | 'none';
}

export const all = (length: number): Indices => ({ first: 0, length });
