import type { Crs } from '../../../data/crs-reference.ts';
import type { Affine, Slice } from '../../../data/grid.ts';
import type { AddTile } from '../../dataset/zip-archive.ts';

/** Step and layer. */
export type SourceSlice = Omit<Slice, 'band'>;

/** A slice of the data, and the one of the tiles that it becomes: other steps may be there before. */
export interface KeptSlice {
  readonly slice: SourceSlice;
  readonly kept: SourceSlice;
}

/** Columns of a grid whose tiles are drawn on request: three rows of them fit into the memory of a drawing. */
export const MOST_COLUMNS = 10_000_000;

/** How the values of an item are kept beside the tiles, for levels that are drawn on request. */
export type ValuesDescription = GridValuesDescription | MeshValuesDescription;

export interface GridValuesDescription {
  readonly kind: 'grid';
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
  readonly crs: Crs;
  /** One, or those of the colours. */
  readonly planes: readonly { readonly type: 'Float32' | 'Float64'; readonly whole: boolean }[];
}

export interface MeshValuesDescription {
  readonly kind: 'mesh';
  readonly at: 'node' | 'cell';
}

/** Adds entries to the zip of the tiles. */
export interface ValueEntries {
  has(name: string): boolean;
  bytes(name: string, bytes: Uint8Array): Promise<void>;
  /** A PMTiles archive; `fill` adds its gzipped tiles. */
  archive(name: string, fill: (add: AddTile) => Promise<void>): Promise<void>;
}

/** Values of an item that can be kept. */
export interface ItemValues {
  readonly description: ValuesDescription;
  /** @param name of the item, the beginning of the names of the entries */
  keep(name: string, slices: KeptSlice, entries: ValueEntries): Promise<void>;
  coverage(slice: SourceSlice): Promise<Coverage>;
}

/** Which parts of the map have values. */
export interface Coverage {
  /** Slices with the same digest have values at the same places. */
  readonly digest: string;
  readonly area: CoveredArea;
}

/** Coverage of a Web Mercator tile and of all tiles below it. */
export interface CoveredArea {
  /** `all`: each point has a value; `none`: no point has one; else the area that the tiles below it are asked of. */
  of(level: number, column: number, row: number): 'all' | 'none' | CoveredArea;
}

/** Names of entries; `@` is in no scheme id. */
export const valuesName = (item: number | 'colours'): string => `@${item === 'colours' ? item : `item${item}`}`;
export const sliceValuesName = (name: string, { step, layer }: SourceSlice): string =>
  `${name}@step${step}-layer${layer}`;
