import { LRUCache } from 'lru-cache';
import type { ByteSource } from '../../data/bytes.ts';
import { copyBlock, product } from '../../data/hyperslab.ts';
import type { Indices } from '../../data/indices.ts';
import { bytesPerValue, newValues, type StoredValues } from '../../data/stored-values.ts';
import type { CfVariable } from '../io/cf/variable.ts';
import { selectByReading } from '../io/read-selected.ts';
import type { Field } from './field.ts';
import { arrange } from './plane.ts';
import { unpackField } from './unpack/unpack.ts';

type Plane = Float32Array | Float64Array;

/** Bytes of unpacked fields that stay in memory, so that rows in blocks unpack each field once. */
const keptBytes = 64 << 20;

/** Unpacked fields of a file, the last used ones kept. */
export class Planes {
  readonly #source: ByteSource;
  readonly #kept = new LRUCache<Field, Promise<Plane>>({ maxSize: keptBytes });

  constructor(source: ByteSource) {
    this.#source = source;
  }

  plane(field: Field, type: 'Float32' | 'Float64'): Promise<Plane> {
    const found = this.#kept.get(field) ?? this.#unpack(field, type);
    // the newest one stays whatever its size
    this.#kept.set(field, found, { size: Math.min(bytesOf(field), keptBytes) });
    return found;
  }

  async #unpack(field: Field, type: 'Float32' | 'Float64'): Promise<Plane> {
    const { grid } = field;
    const values = await unpackField(this.#source, field);
    return arrange(values, grid, newValues(type, grid.width * grid.height) as Plane);
  }
}

const bytesOf = ({ grid }: Field): number => 8 * grid.width * grid.height;

/** The fields of a parameter as an array over dimensions, y and x. Where a field is missing, it has no data. */
export class FieldArray implements CfVariable {
  readonly metadata: CfVariable['metadata'];
  readonly #fields: readonly (Field | undefined)[];
  readonly #planes: Planes;
  readonly #type: 'Float32' | 'Float64';

  /** @param fields in the order of the outer dimensions, the last of which varies fastest */
  constructor(
    metadata: Pick<CfVariable['metadata'], 'name' | 'attributes' | 'shape' | 'dimensions'>,
    fields: readonly (Field | undefined)[],
    planes: Planes,
  ) {
    const [height, width] = metadata.shape.slice(-2) as [number, number];
    this.#type = fields.some((field) => field?.data.template === DOUBLE) ? 'Float64' : 'Float32';
    this.metadata = {
      ...metadata,
      attributes: { ...metadata.attributes, _FillValue: Number.NaN },
      type: this.#type,
      chunks: [...metadata.shape.slice(0, -2).map(() => 1), height, width],
    };
    this.#fields = fields;
    this.#planes = planes;
  }

  get chunkBytes(): number {
    const [height, width] = this.metadata.shape.slice(-2) as [number, number];
    return bytesPerValue(this.#type) * height * width;
  }

  bytesFor(indices: readonly Indices[]): number {
    return this.chunkBytes * product(indices.slice(0, -2).map(({ length }) => length));
  }

  select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    return selectByReading(this, indices, signal);
  }

  all(): Promise<StoredValues> {
    const { shape } = this.metadata;
    return this.read(
      shape.map(() => 0),
      shape,
    );
  }

  async read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const { shape } = this.metadata;
    const values = newValues(this.#type, product(extent)) as Plane;
    const [inner, outer] = [extent.slice(-2), extent.slice(0, -2)];
    const size = product(inner);
    const from = start.slice(-2);
    for (let n = 0; n < product(outer); n++) {
      let [rest, at] = [n, 0];
      let stride = 1;
      for (let d = outer.length - 1; d >= 0; d--) {
        at += (start[d]! + (rest % outer[d]!)) * stride;
        rest = Math.floor(rest / outer[d]!);
        stride *= shape[d]!;
      }
      const field = this.#fields[at];
      const block = values.subarray(n * size, (n + 1) * size);
      if (field === undefined) block.fill(Number.NaN);
      else {
        const plane = await this.#planes.plane(field, this.#type);
        copyBlock(
          { values: plane, shape: shape.slice(-2), start: from },
          { values: block, shape: inner, start: [0, 0] },
          inner,
        );
      }
    }
    return values;
  }
}

/** Template 5.4, IEEE 754, whose values may be double. */
const DOUBLE = 4;

/** A coordinate or another variable in memory. */
export class HeldArray implements CfVariable {
  readonly metadata: CfVariable['metadata'];
  readonly #values: Float64Array;

  constructor(
    metadata: Pick<CfVariable['metadata'], 'name' | 'attributes' | 'shape' | 'dimensions'>,
    values: Float64Array,
  ) {
    this.metadata = { ...metadata, type: 'Float64', chunks: metadata.shape };
    this.#values = values;
  }

  get chunkBytes(): number {
    return this.#values.byteLength;
  }

  bytesFor(): number {
    return this.chunkBytes;
  }

  async all(): Promise<StoredValues> {
    return this.#values;
  }

  async read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const values = new Float64Array(product(extent));
    const { shape } = this.metadata;
    copyBlock({ values: this.#values, shape, start }, { values, shape: extent, start: extent.map(() => 0) }, extent);
    return values;
  }

  select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    return selectByReading(this, indices, signal);
  }
}
