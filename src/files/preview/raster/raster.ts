import type { GeographicExtent } from '../../geo/crs/geographic-extent.ts';
import type { Box, Lattice } from '../../tiles/matrices.ts';
import type { Elements } from '../../tiles/raster/mesh-pixels.ts';
import type { ValueRows } from '../../tiles/raster/pyramid.ts';
import type { SourceSlice } from '../../tiles/raster/values/item-values.ts';
import type { TileNumber } from '../../tiles/vector/vector-tile.ts';

/** Data of which tiles of Web Mercator can be drawn. */
export interface Raster {
  /** The level whose tiles of 256 pixels have a pixel for each cell, or smaller ones. */
  readonly base: number;
  /** How many levels below a coarse tile its pixels are read, whose means it shows. */
  readonly levelsBelow: number;
  readonly extent: GeographicExtent;
  /** Extent in Web Mercator. */
  readonly boxes: readonly Box[];
  /** Side of a usual cell or element in Web Mercator. */
  readonly cell: number;
  /** Of a grid: cells of a layer, or of its coarsest overview. */
  readonly coarsest?: number;
  readonly layers: number;
  readonly layerHeights?: readonly number[];
  /** Whether the data are a picture in its own colours. */
  readonly hasColours: boolean;
  /** Whether an item has one value per place. */
  hasValues(item: number): boolean;
  /**
   * Values at the pixels of a lattice: one row source per plane; of colours red, green, blue and perhaps alpha.
   * @param check throws if the work is not needed any more
   */
  planes(lattice: Lattice, of: RasterSlice, check: () => void): Promise<AsyncIterable<ValueRows>[]>;
  /** Values of a slice, or a part of a large one; NaN is no data. */
  sample(item: number, slice: SourceSlice): Promise<ArrayLike<number>>;
  /** The cells or elements that may touch a tile and its buffer, with their values, without an item none. */
  cellsWithin(
    tile: TileNumber,
    of: SourceSlice & { readonly item: number | undefined },
    check: () => void,
  ): Promise<PlacedCells>;
  close(): void;
}

export interface RasterSlice extends SourceSlice {
  readonly item: number | 'colours';
  /** Values of the elements of a mesh are brought to the nodes first, so that they change linearly. */
  readonly smooth?: boolean;
}

/** Cells in Web Mercator. Longitudes run on across the antimeridian. */
export interface PlacedCells extends Elements {
  /** Number of each cell in answers. */
  readonly ids: ArrayLike<number>;
  /** Of each cell; NaN is no data. */
  readonly values: ArrayLike<number>;
}
