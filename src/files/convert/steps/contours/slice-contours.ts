import type { ContourGeometry } from '../../../geo/contour/contour-geometries.ts';

/** Contours of an item, a step and a layer, in parts as they become whole. */
export type SliceContours = (item: number, step: number, layer: number) => AsyncIterable<Contours>;

export interface Contours {
  readonly geometries: readonly ContourGeometry[];
  /** The level of a number. */
  levelAt(number: number): number;
}
