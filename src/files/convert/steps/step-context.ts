import type { Crs } from '../../data/crs-reference.ts';
import type { Data, DataKind } from '../../data/data.ts';
import type { Context } from '../../formats/define.ts';
import type { SideInput } from './side-input.ts';
import type { Transformation } from './transformation-shapes.ts';

/** State that the transformations of one conversion share. */
export interface StepContext {
  readonly context: Context;
  /** Resources to close after the output is written. */
  readonly resources: AsyncDisposableStack;
  /** Returns a sentence per reprojection; call after all data are read. */
  readonly operations: (() => string)[];
  /** Name of the input file without its extension. */
  readonly stem: string;
  /** The kind of data that the present transformation must make: the first that leads to the writer. */
  makes: DataKind;
  /** The transformations before the present one. */
  applied: readonly Transformation['type'][];
  /** Reads a file or dataset that a transformation names, whose data are there until the conversion ends. */
  open(input: SideInput): Promise<Data>;
  /** The coordinate system of the last reprojection. */
  to?: Crs;
  /** The whole input is read before the first byte is written. */
  readFirst?: boolean;
}
