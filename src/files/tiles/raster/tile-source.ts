import type { TimeAxis } from '../../data/time-axis.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import type { GeographicExtent } from '../../geo/crs/geographic-extent.ts';
import type { SourceShape } from '../dataset/description.ts';
import type { Box, Lattice } from '../matrices.ts';
import type { ValueRows } from './pyramid.ts';
import type { ItemValues, SourceSlice, ValuesDescription } from './values/item-values.ts';

/** An item whose values can be asked for at the pixels of lattices. */
export interface OpenItem {
  /** Least and greatest value over all steps and layers. Absent without a value. */
  readonly range?: { readonly minimum: number; readonly maximum: number };
  readonly values: ItemValues;
  /** One row source per plane. */
  planes(lattice: Lattice, mercator: boolean, slice: SourceSlice): AsyncIterable<ValueRows>[];
}

/** Data of which tiles are drawn. */
export interface TileSource {
  readonly crs: KnownCrs;
  /** `hasTiles`: false for one with several values per place, such as a spectrum. */
  readonly items: readonly { readonly name: string; readonly unit?: string; readonly hasTiles?: boolean }[];
  readonly time?: TimeAxis;
  readonly steps: number;
  readonly layers: number;
  readonly layerHeights?: readonly number[];
  /** Bounding rectangle in the coordinate system of the data. */
  readonly box: Box;
  readonly extent: GeographicExtent;
  /** Side of the finest pixels, in the units of the data and in Web Mercator at the middle of the data. */
  readonly cell: number;
  readonly mercatorCell: number;
  /** Opened with `colours`, the planes are red, green, blue and perhaps alpha. */
  readonly hasColours: boolean;
  readonly shape: SourceShape;
  /** @param like how the values of the other steps are kept, if the data are added to them */
  open(item: number | 'colours', like?: ValuesDescription): Promise<OpenItem>;
}

/** Collects the least and the greatest value. */
export class ValueRange {
  #least = Infinity;
  #most = -Infinity;

  add(values: ArrayLike<number>): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (value < this.#least) this.#least = value;
      if (value > this.#most) this.#most = value;
    }
  }

  range(): Pick<OpenItem, 'range'> {
    return this.#least > this.#most ? {} : { range: { minimum: this.#least, maximum: this.#most } };
  }
}
