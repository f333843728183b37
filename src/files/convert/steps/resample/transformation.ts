import type { ResampleMethod } from '../../../geo/resample/resample-grid.ts';
import type { SideInput } from '../side-input.ts';

/** The cells of a grid that a transformation makes. At least one of the members is given. */
export interface WantedCells {
  /** Width and height of a cell, in units of the coordinate system. */
  readonly cellSize?: readonly [number, number];
  /** West, south, east, north. */
  readonly extent?: readonly [number, number, number, number];
  /** A grid or dataset that gives the cells, or with `cellSize` only the extent. */
  readonly like?: SideInput;
  /** Coordinate system of `cellSize` and `extent`; absent: that of the data. */
  readonly srid?: string;
}

export interface ResampleTransformation extends WantedCells {
  readonly type: 'ResampleTransformation';
  /** Absent: bilinear for floats, nearest for integers. */
  readonly method?: ResampleMethod;
}
