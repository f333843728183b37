import type { ProfileMethod } from '../../../geo/profile/weights.ts';

export interface ProfileTransformation {
  readonly type: 'ProfileTransformation';
  /** x and y of the vertices of the line. */
  readonly line: Float64Array;
  readonly spacing: number;
  readonly method: ProfileMethod;
  /** Coordinate system of the line; absent: that of the data. */
  readonly srid?: string;
}
