import type { Crs } from '../../data/crs-reference.ts';
import type { Header } from '../../formats/flatgeobuf/header-reader.ts';
import type { TileLayer, TileNumber } from '../../geo/tiles/vector-tile.ts';

/** A tile to be drawn, with what is drawn. Plain data, so that it can be posted to a thread; the arrays are moved to it. */
export interface VectorJob {
  readonly tile: TileNumber;
  readonly crs: Crs;
  readonly layer: TileLayer;
  /**
   * For each feature or element: its number in the file or its id; where its bytes or coordinates begin and end; side,
   * size, and 1 if it stands for others around it.
   */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly content: FeatureContent | ElementContent;
}

/** Numbers of each feature in a job. */
export const NUMBERS = 6;

/** The bytes of features, without their sizes. */
export interface FeatureContent {
  readonly kind: 'features';
  readonly header: Pick<Header, 'columns' | 'geometryType' | 'hasZ' | 'hasM'>;
  /** Places of the attributes among the values of a feature. */
  readonly fields: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Polygons with values. */
export interface ElementContent {
  readonly kind: 'elements';
  /** x, y, … */
  readonly coordinates: Float64Array<ArrayBuffer>;
  /** For each attribute the values of all polygons; NaN is none. */
  readonly values: readonly Float64Array<ArrayBuffer>[];
}

/** What is moved to the thread, not copied. */
export function movedBuffers({ numbers, content }: VectorJob): ArrayBuffer[] {
  if (content.kind === 'features') return [numbers.buffer, content.bytes.buffer];
  return [numbers.buffer, content.coordinates.buffer, ...content.values.map(({ buffer }) => buffer)];
}
