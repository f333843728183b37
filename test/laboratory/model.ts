import type { Data } from '../../src/files/data/data.ts';
import type { Property } from './properties.ts';

/** A property, or after a colon another form of it. */
export type Variation = Property | `${Property}:${string}`;

/** Generated data of a kind. */
export interface Model {
  /** Variations that data can have all together. */
  readonly together: readonly Variation[];
  /** Variations that are tried alone. */
  readonly alone: readonly Variation[];
  make(wanted: ReadonlySet<Variation>): Data;
}
