import type { Data, DataKind } from '../../data/data.ts';
import type { Context, Writer } from '../../formats/define.ts';
import type { MeshQuality } from '../conversion.ts';

/** Arguments of a bridge besides the data. */
export interface BridgeWork {
  /** Complete parameters of the writer. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly writer: Pick<Writer, 'name' | 'layers'>;
  /** Name of the input file without its extension. */
  readonly stem: string;
  readonly context: Context;
  /** Counts features that the writer has pulled, which may have no values that count as records. */
  pulled?(features: number): void;
  /** Adds the quality of a generated mesh to the receipt. */
  quality(of: MeshQuality): void;
}

/** Converts data to another kind, after the transformations, for a writer that does not accept the reader's kind. */
export interface Bridge<From extends DataKind = DataKind, To extends DataKind = DataKind> {
  readonly from: From;
  readonly to: To;
  change(
    data: Extract<Data, { kind: From }>,
    work: BridgeWork,
  ): Extract<Data, { kind: To }> | Promise<Extract<Data, { kind: To }>>;
  /**
   * Data like those that `change` makes, as far as the header tells. Only of a bridge that needs values to make any.
   */
  like?(data: Extract<Data, { kind: From }>): Promise<Extract<Data, { kind: To }>>;
}
