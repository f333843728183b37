import type { BurnMethod } from '../../../geo/raster/burn.ts';
import type { WantedCells } from '../resample/transformation.ts';

/** Has `cellSize` or `like`. */
export interface RasterizeTransformation extends WantedCells {
  readonly type: 'RasterizeTransformation';
  /** The field of numbers, or the number, that cells with a feature get. */
  readonly burn: { readonly field: string } | { readonly value: number };
  readonly allTouched: boolean;
  readonly method: BurnMethod;
}
