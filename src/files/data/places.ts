/** A coordinate of places. */
export interface PlaceCoordinate {
  readonly name: 'x' | 'y' | 'z' | 'layer' | 'element' | 'node';
  /** Axis of the array along which it varies; absent: all values share it. */
  readonly axis?: number;
  readonly values: Float64Array | Int32Array;
}

/** Coordinates of the values of an array that lie at places: a discrete sampling geometry of CF. */
export interface Places {
  readonly coordinates: readonly PlaceCoordinate[];
  /** Axis that counts the places; absent: there is one. */
  readonly axis?: number;
}
