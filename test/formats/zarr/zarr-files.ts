import { gzipSync, zstdCompressSync } from 'node:zlib';
import { zipOf } from '../shapefiles.ts';

/** Builds stores of Zarr 3 as other programs write them, without the product's own writer. */
export const storeOf = (files: Readonly<Record<string, string | Uint8Array>>, stored = true): Buffer =>
  zipOf(Object.entries(files).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes), stored })));

export const group = (attributes: object): string => JSON.stringify({ zarr_format: 3, node_type: 'group', attributes });

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

export interface Variable {
  shape: readonly number[];
  values: readonly number[] | BigInt64Array;
  data_type?: keyof typeof arrays | 'int64' | string;
  dimension_names?: readonly (string | null)[];
  attributes?: object;
  fill_value?: unknown;
  codec?: 'zstd' | 'gzip' | 'none';
  bigEndian?: boolean;
  /** Other members of the metadata. */
  more?: object;
}

/** The files of an array of one chunk. */
export function variable(name: string, given: Variable): Record<string, string | Uint8Array> {
  const { shape, values, data_type = 'float64', codec = 'zstd', fill_value = 0, bigEndian = false } = given;
  const numbers =
    values instanceof BigInt64Array
      ? values
      : arrays[(data_type in arrays ? data_type : 'float64') as keyof typeof arrays].from(values);
  const bytes = Buffer.from(numbers.buffer.slice(0));
  if (bigEndian)
    for (let at = 0; at < bytes.length; at += numbers.BYTES_PER_ELEMENT)
      bytes.subarray(at, at + numbers.BYTES_PER_ELEMENT).reverse();
  const metadata = {
    zarr_format: 3,
    node_type: 'array',
    shape,
    data_type,
    chunk_grid: { name: 'regular', configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value,
    codecs: [
      { name: 'bytes', configuration: { endian: bigEndian ? 'big' : 'little' } },
      ...(codec === 'none' ? [] : [{ name: codec, configuration: { level: 0 } }]),
    ],
    attributes: given.attributes ?? {},
    ...(given.dimension_names === undefined ? {} : { dimension_names: given.dimension_names }),
    storage_transformers: [],
    ...given.more,
  };
  const pack = { zstd: zstdCompressSync, gzip: gzipSync, none: (all: Uint8Array) => all }[codec];
  return {
    [`${name}/zarr.json`]: JSON.stringify(metadata),
    [[name, 'c', ...shape.map(() => 0)].join('/')]: pack(bytes),
  };
}
