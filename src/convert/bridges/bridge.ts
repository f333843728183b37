import type { Data, DataKind } from '../../data/data.ts';
import type { Context, Writer } from '../../formats/define.ts';
import type { MeshQuality } from '../conversion.ts';

/** What a bridge knows of the conversion beside the data. */
export interface BridgeWork {
  /** Complete parameters of the writer. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly writer: Pick<Writer, 'name' | 'layers'>;
  /** Name of the input file without its extension. */
  readonly stem: string;
  readonly context: Context;
  /** Tells the receipt about a mesh that was made. */
  quality(of: MeshQuality): void;
}

/** A change of kind between a reader and a writer that takes another kind, after the transformations. */
export interface Bridge<From extends DataKind = DataKind, To extends DataKind = DataKind> {
  readonly from: From;
  readonly to: To;
  change(
    data: Extract<Data, { kind: From }>,
    work: BridgeWork,
  ): Extract<Data, { kind: To }> | Promise<Extract<Data, { kind: To }>>;
}
