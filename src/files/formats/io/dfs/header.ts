import type { SampleType } from '../../../data/item.ts';
import { type DfsAxis, elementsOfAxis } from './axes.ts';
import type { DfsArray } from './typed-array.ts';

/** Values that mean "no data", by the type of the item. Items of other types have none. */
export interface DeleteValues {
  readonly Float32: number;
  readonly Float64: number;
  readonly Int8: number;
  readonly Int32: number;
  readonly UInt32: number;
}

export const deleteValueOf = (values: DeleteValues, type: SampleType): number | undefined =>
  (values as Partial<Record<SampleType, number>>)[type];

/** The delete values that DHI's programs write into files of grids and time series. */
export const usualDeleteValues: DeleteValues = {
  Float32: Math.fround(-1e-35),
  Float64: -1e-255,
  Int8: 0,
  Int32: 2147483647,
  UInt32: 2147483647,
};

export interface DfsProjection {
  /** WKT, or a short name such as `UTM-33`, `LONG/LAT`, `NON-UTM`. */
  readonly text: string;
  /** Position of the first cell's centre, in degrees, or in local coordinates. */
  readonly longitude: number;
  readonly latitude: number;
  /** Degrees clockwise from true north to the y axis. */
  readonly rotation: number;
}

/** Time axis as the header stores it. */
export interface DfsTime {
  readonly equidistant: boolean;
  /** `YYYY-MM-DD` and `HH:MM:SS`; absent: a relative axis. */
  readonly start?: { readonly date: string; readonly time: string };
  /** EUM's code of the unit. */
  readonly unit: number;
  /**
   * Equidistant: offset and interval. Otherwise the time of the first step, and the difference of the largest time from
   * it.
   */
  readonly numbers: readonly [number, number];
  /** Number of steps that the header declares; the file may have more or fewer. */
  readonly steps: number;
  readonly firstStep: number;
  /** Offset of the block in the file, for errors. */
  readonly offset?: number;
}

/** Extremes of all values of an item, and the number of deleted ones. */
export interface DfsSummary {
  readonly maximum: number;
  readonly minimum: number;
  readonly deleted: number;
}

export interface DfsItem {
  readonly name: string;
  readonly eumItem: number;
  readonly eumUnit: number;
  readonly type: SampleType;
  readonly summary: DfsSummary;
  /** Reference coordinates x, y, z and orientation alpha, phi, theta. */
  readonly reference: readonly number[];
  /** EUM's number of the kind of value, 0 to 4. */
  readonly valueKind: number;
  readonly axis: DfsAxis;
  /** Nine numbers per element; only where the header declares statistics. */
  readonly statistics?: DfsArray;
  /** Numbers (from 1) of the static items that belong to this item. */
  readonly statics?: DfsArray;
}

export const elementsOf = ({ axis }: Pick<DfsItem, 'axis'>): number => elementsOfAxis(axis);

/** A static item: an array without time. */
export interface DfsStatic {
  readonly item: DfsItem;
  readonly values: DfsArray;
}

export interface DfsCustomBlock {
  readonly name: string;
  readonly values: DfsArray;
}

/** A block of unknown meaning, which is kept after the `nth` block (from 0) with the tag `after`. */
export interface UnknownBlock {
  readonly tag: number;
  readonly arrays: readonly DfsArray[];
  readonly after: number;
  readonly nth: number;
}

/** Everything that a DFS file has before its steps. */
export interface DfsHeader {
  /** Signature, dates and version words. */
  readonly head: Uint8Array;
  readonly title: string;
  readonly application: string;
  readonly version: number;
  readonly dataType: number;
  /** 1: extremes only; 2 and 3: statistics of each element too. */
  readonly statisticsType: number;
  readonly deleteValues: DeleteValues;
  readonly projection?: DfsProjection;
  readonly time: DfsTime;
  readonly items: readonly DfsItem[];
  readonly custom: readonly DfsCustomBlock[];
  /** With the encoding keys of a compressed file, which come first. */
  readonly statics: readonly DfsStatic[];
  /** Encoding keys of a compressed file: items store only these cells, in this order. */
  readonly compressed: boolean;
  readonly unknown: readonly UnknownBlock[];
}

/** Reference coordinates and orientation that are not set. */
export const unsetReference: readonly number[] = Array(6).fill(Math.fround(-1e-35));

/** Number of values of an item that a step stores. */
export const storedCount = (header: Pick<DfsHeader, 'compressed' | 'statics'>, item: DfsItem): number =>
  header.compressed ? header.statics[0]!.values.count : elementsOf(item);
