import { copyBlock, product } from '../../../data/hyperslab.ts';
import type { Indices } from '../../../data/indices.ts';
import { newValues, type StoredType, type StoredValues } from '../../../data/stored-values.ts';
import { selectByReading } from '../read-selected.ts';
import type { ValueArray } from '../value-array.ts';

/** A dimension of a view. */
export interface ViewDimension {
  readonly name: string | undefined;
  readonly length: number;
  /** The dimension of the array; absent: the view adds one of length 1. */
  readonly from?: number;
  /** Indices of the dimension are reversed or reordered. */
  readonly order?: 'reversed' | Uint32Array;
}

/**
 * An array with its dimensions in another order or direction, without those that are left out (which have one index),
 * and with its values unpacked.
 */
export class ArrayView implements ValueArray {
  readonly metadata: ValueArray['metadata'];
  readonly #array: ValueArray;
  readonly #dimensions: readonly ViewDimension[];
  readonly #unpack: ((values: StoredValues) => StoredValues) | undefined;
  /** The dimensions of the array that the view has, in the view's order, are those of the array in order. */
  readonly #inOrder: boolean;

  constructor(
    array: ValueArray,
    dimensions: readonly ViewDimension[],
    { type, unpack }: { type: StoredType; unpack?: ((values: StoredValues) => StoredValues) | undefined },
  ) {
    this.#array = array;
    this.#dimensions = dimensions;
    this.#unpack = unpack;
    const { name, chunks } = array.metadata;
    this.metadata = {
      name,
      type,
      shape: dimensions.map(({ length }) => length),
      chunks: dimensions.map(({ from }) => (from === undefined ? 1 : chunks[from]!)),
      dimensions: dimensions.map((one) => one.name),
    };
    const kept = dimensions.flatMap(({ from }) => from ?? []);
    this.#inOrder = kept.every((from, n) => n === 0 || from > kept[n - 1]!);
  }

  get chunkBytes(): number {
    return this.#array.chunkBytes;
  }

  async read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const values = await this.#read(start, extent);
    return this.#unpack === undefined ? values : this.#unpack(values);
  }

  async select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    if (!this.#inOrder || this.#dimensions.some(({ order }) => order !== undefined))
      return selectByReading(this, indices, signal);
    const values = await this.#array.select(this.#ownIndices(indices), signal);
    return this.#unpack === undefined ? values : this.#unpack(values);
  }

  bytesFor(indices: readonly Indices[]): number {
    const own = this.#ownIndices(indices).map((chosen, d) => {
      const dimension = this.#dimensions.find(({ from }) => from === d);
      // Another order may need chunks from anywhere.
      return dimension?.order === undefined ? chosen : { first: 0, length: dimension.length };
    });
    return this.#array.bytesFor(own);
  }

  #ownIndices(indices: readonly Indices[]): Indices[] {
    const own: Indices[] = this.#array.metadata.shape.map(() => ({ first: 0, length: 1 }));
    for (const [n, { from }] of this.#dimensions.entries()) if (from !== undefined) own[from] = indices[n]!;
    return own;
  }

  async #read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const listed = this.#dimensions.findIndex(({ order }) => order instanceof Uint32Array);
    if (listed < 0) return this.#block(start, extent);
    const order = this.#dimensions[listed]!.order as Uint32Array;
    const { type } = this.#array.metadata;
    const values = newValues(type, product(extent));
    const one = extent.map((length, d) => (d === listed ? 1 : length));
    for (let n = 0; n < extent[listed]!; n++) {
      const block = await this.#block(
        start.map((first, d) => (d === listed ? order[first + n]! : first)),
        one,
      );
      const to = { values, shape: extent, start: extent.map((_, d) => (d === listed ? n : 0)) };
      copyBlock({ values: block, shape: one, start: one.map(() => 0) }, to, one);
    }
    return values;
  }

  /** A block whose dimensions run forwards or backwards; lists of indices are taken as the array's own. */
  async #block(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const { shape, type } = this.#array.metadata;
    const ownStart = shape.map(() => 0);
    const ownExtent = shape.map(() => 1);
    let turned = false;
    for (const [n, { from, length, order }] of this.#dimensions.entries()) {
      if (from === undefined) continue;
      const backwards = order === 'reversed';
      turned ||= backwards && extent[n]! > 1;
      ownStart[from] = backwards ? length - start[n]! - extent[n]! : start[n]!;
      ownExtent[from] = extent[n]!;
    }
    const block = await this.#array.read(ownStart, ownExtent);
    if (this.#inOrder && !turned) return block;
    const strides = ownExtent.map((_, d) => product(ownExtent.slice(d + 1)));
    const steps = this.#dimensions.map(({ from, order }) =>
      from === undefined ? 0 : strides[from]! * (order === 'reversed' ? -1 : 1),
    );
    const first = this.#dimensions.reduce(
      (sum, { from, order }, n) =>
        from !== undefined && order === 'reversed' ? sum + strides[from]! * (extent[n]! - 1) : sum,
      0,
    );
    const values = newValues(type, block.length);
    let to = 0;
    const copy = (d: number, at: number) => {
      const [step, count] = [steps[d] ?? 0, extent[d] ?? 1];
      for (let n = 0, source = at; n < count; n++, source += step)
        if (d >= extent.length - 1) values[to++] = block[source] as never;
        else copy(d + 1, source);
    };
    if (block.length > 0) copy(0, first);
    return values;
  }
}
