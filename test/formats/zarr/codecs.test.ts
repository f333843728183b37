import { crc32, deflateSync, zstdCompressSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { FormatError } from '../../../src/files/errors.ts';
import { outcome } from '../hostile.ts';
import { dataOf, whole } from './whole.ts';
import { group, storeOf, variable } from './zarr-files.ts';

const counted = Float32Array.from({ length: 6 }, (_, n) => n + 0.5);
const bytesOf = (values: { buffer: ArrayBufferLike }) => Buffer.from(values.buffer.slice(0));
const plain = { name: 'bytes', configuration: { endian: 'little' } };

/** A store of Zarr 3 with the array `v` of two rows and three columns, and the bytes of its chunk. */
const store3 = (codecs: readonly object[], chunk: Uint8Array, data_type = 'float32') => ({
  'zarr.json': group({}),
  ...variable('v', { shape: [2, 3], values: [], data_type, codec: 'none', more: { codecs } }),
  'v/c/0/0': chunk,
});
/** A store of Zarr 2. */
const store2 = (dtype: string, chunk: Uint8Array, more: object = {}) => ({
  '.zgroup': '{"zarr_format": 2}',
  'v/.zarray': JSON.stringify({
    zarr_format: 2,
    shape: [2, 3],
    chunks: [2, 3],
    dtype,
    compressor: null,
    fill_value: null,
    order: 'C',
    filters: null,
    ...more,
  }),
  'v/0.0': chunk,
});

async function valuesOf(t: ExecutionContext, files: Record<string, string | Uint8Array>): Promise<number[]> {
  const { values } = (await whole(await dataOf(t, 'MDReader', storeOf(files)))) as { values: Float64Array[][] };
  return [...values[0]![0]!].map(Number);
}

/** CRC-32C of "123456789" is 0xe3069283 (RFC 3720). */
function crc32c(bytes: Uint8Array): Buffer {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0x82f63b78 : 0);
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE((rest ^ 0xffffffff) >>> 0);
  return sum;
}

const word = (value: number) => Buffer.from(Uint32Array.of(value).buffer);

/** A block of LZ4 without matches, behind its length. */
const lz4 = (bytes: Buffer) => Buffer.concat([word(bytes.length), Buffer.of(0xf0, bytes.length - 15), bytes]);

test('checksums of chunks are compared', async (t) => {
  const bytes = bytesOf(counted);
  const codecs = [plain, { name: 'zstd' }, { name: 'crc32c' }];
  const packed = zstdCompressSync(bytes);
  t.deepEqual(await valuesOf(t, store3(codecs, Buffer.concat([packed, crc32c(packed)]))), [...counted]);
  await t.throwsAsync(valuesOf(t, store3(codecs, Buffer.concat([packed, word(1)]))), { instanceOf: FormatError });
  const first = { filters: [{ id: 'crc32' }] };
  t.deepEqual(await valuesOf(t, store2('<f4', Buffer.concat([word(crc32(bytes)), bytes]), first)), [...counted]);
});

test('chunks of LZ4 and zlib, shuffled bytes and rounded bits are read', async (t) => {
  const bytes = bytesOf(counted);
  const shuffled = Buffer.from([0, 1, 2, 3].flatMap((b) => [...counted.keys()].map((n) => bytes[4 * n + b]!)));
  t.deepEqual(await valuesOf(t, store3([plain, { name: 'numcodecs.lz4' }], lz4(bytes))), [...counted]);
  t.deepEqual(await valuesOf(t, store2('<f4', lz4(bytes), { compressor: { id: 'lz4' } })), [...counted]);
  const filters = [
    { id: 'bitround', keepbits: 9 },
    { id: 'shuffle', elementsize: 4 },
  ];
  const chunk = deflateSync(shuffled);
  t.deepEqual(await valuesOf(t, store2('<f4', chunk, { filters, compressor: { id: 'zlib' } })), [...counted]);
});

test('transposed chunks, and arrays in the order of Fortran, are read', async (t) => {
  const turned = bytesOf(Float32Array.of(0.5, 3.5, 1.5, 4.5, 2.5, 5.5));
  const codecs = [{ name: 'transpose', configuration: { order: [1, 0] } }, plain];
  t.deepEqual(await valuesOf(t, store3(codecs, turned)), [...counted]);
  t.deepEqual(await valuesOf(t, store2('<f4', turned, { order: 'F' })), [...counted]);
  const twice = [{ name: 'transpose', configuration: { order: [1, 1] } }, plain];
  await t.throwsAsync(valuesOf(t, store3(twice, turned)), { message: /codec 'transpose'/ });
});

test('differences, scaled and converted values are undone in the types of NumPy', async (t) => {
  const delta = [{ name: 'numcodecs.delta', configuration: { dtype: '<i4', astype: '<i2' } }, plain];
  t.deepEqual(
    await valuesOf(t, store3(delta, bytesOf(Int16Array.of(5, 1, -2, 0, 7, 30_000)), 'int32')),
    [5, 6, 4, 4, 11, 30_011],
  );
  const scaled = { id: 'fixedscaleoffset', dtype: '<f4', astype: '|u1', scale: 2, offset: 10 };
  t.deepEqual(
    await valuesOf(t, store2('<f4', Uint8Array.of(0, 1, 2, 3, 4, 255), { filters: [scaled] })),
    [10, 10.5, 11, 11.5, 12, 137.5],
  );
  const cast = { id: 'astype', encode_dtype: '>i2', decode_dtype: '<f8' };
  const chunk = bytesOf(Int16Array.of(1, -2, 3, -4, 5, 6)).swap16();
  t.deepEqual(await valuesOf(t, store2('<f8', chunk, { filters: [cast] })), [1, -2, 3, -4, 5, 6]);
});

test('half floats, big-endian values, booleans and times are read', async (t) => {
  const halves = bytesOf(Uint16Array.of(0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x8000));
  const expected = [1, -2, 0.333251953125, 65_504, 2 ** -24, -0];
  t.deepEqual(await valuesOf(t, store3([plain], halves, 'float16')), expected);
  t.deepEqual(await valuesOf(t, store2('>f2', Buffer.from(halves).swap16())), expected);
  t.deepEqual(await valuesOf(t, store2('>f4', bytesOf(counted).swap32())), [...counted]);
  t.deepEqual(await valuesOf(t, store2('|b1', Uint8Array.of(0, 1, 1, 0, 0, 1))), [0, 1, 1, 0, 0, 1]);
  const days = BigInt64Array.of(0n, 1n, 2n);
  const files = {
    ...store2('<f4', bytesOf(counted), { shape: [3, 2], chunks: [3, 2] }),
    'v/.zattrs': '{"_ARRAY_DIMENSIONS": ["time", "x"]}',
    'time/.zarray': store2('<M8[D]', Buffer.alloc(0), { shape: [3], chunks: [3] })['v/.zarray'],
    'time/.zattrs': '{"_ARRAY_DIMENSIONS": ["time"]}',
    'time/0': bytesOf(days),
  };
  t.like(await whole(await dataOf(t, 'MDReader', storeOf(files))), {
    time: { spacing: 'equidistant', unit: 'day', start: 0, count: 3, interval: 1 },
  });
});

/** Shards of two rows and four columns, in chunks of one row and two columns; the last chunk is not there. */
function shards(indexAt: 'start' | 'end', order: 'sound' | 'beyond' = 'sound') {
  const chunks = [
    [1, 2],
    [3, 4],
    [5, 6],
  ].map((values) => zstdCompressSync(bytesOf(Float32Array.from(values))));
  const none = 2n ** 64n - 1n;
  const indexBytes = 4 * 2 * 8 + 4;
  let at = indexAt === 'start' ? indexBytes : 0;
  const places = chunks.flatMap((chunk) => {
    const place = [BigInt(at), BigInt(chunk.length)];
    at += chunk.length;
    return place;
  });
  if (order === 'beyond') places[0] = 1_000_000n;
  const index = bytesOf(BigUint64Array.from([...places, none, none]));
  const parts = [Buffer.concat([index, crc32c(index)]), Buffer.concat(chunks)];
  const codec = {
    name: 'sharding_indexed',
    configuration: {
      chunk_shape: [1, 2],
      codecs: [plain, { name: 'zstd' }],
      index_codecs: [plain, { name: 'crc32c' }],
      index_location: indexAt,
    },
  };
  const more = {
    codecs: [codec],
    chunk_grid: { name: 'regular', configuration: { chunk_shape: [2, 4] } },
  };
  return {
    'zarr.json': group({}),
    ...variable('v', { shape: [2, 3], values: [], data_type: 'float32', fill_value: -9, codec: 'none', more }),
    'v/c/0/0': Buffer.concat(indexAt === 'start' ? parts : parts.toReversed()),
  };
}

for (const indexAt of ['start', 'end'] as const)
  for (const stored of [true, false])
    test(`chunks of a ${stored ? 'stored' : 'deflated'} shard with its index at the ${indexAt} are read`, async (t) => {
      const data = await dataOf(t, 'MDReader', storeOf(shards(indexAt), stored));
      t.deepEqual((await whole(data)).values, { 0: [Float32Array.of(1, 2, 3, 5, 6, -9)] });
    });

test('a shard whose index points beyond its end, or is damaged, is refused', async (t) => {
  await t.throwsAsync(valuesOf(t, shards('end', 'beyond')), { message: /whose chunk 0 has \d+ bytes at 1000000/ });
  const sound = shards('end');
  const bytes = Buffer.from(sound['v/c/0/0']);
  for (let cut = 0; cut < bytes.length; cut += 3) {
    const files = { ...sound, 'v/c/0/0': bytes.subarray(0, cut) };
    t.is(await outcome('MDReader', storeOf(files), ''), 'refused');
  }
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0x10;
    await outcome('MDReader', storeOf({ ...sound, 'v/c/0/0': changed }), '');
  }
});

test('a chunk that says that it unpacks to more than it may is refused', async (t) => {
  const bomb = Buffer.concat([word(1 << 30), Buffer.alloc(20)]);
  t.is(await outcome('MDReader', storeOf(store3([plain, { name: 'numcodecs.lz4' }], bomb)), ''), 'refused');
  const zeros = deflateSync(Buffer.alloc(1 << 22));
  t.is(await outcome('MDReader', storeOf(store2('<f4', zeros, { compressor: { id: 'zlib' } })), ''), 'refused');
});
