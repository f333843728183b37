import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ByteSource } from '../../src/files/data/bytes.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { rareTiffs } from './rare-tiffs.ts';
import { geoKeys, placed, tiffFile } from './tiff-file.ts';

// Own thread: it awaits before its tests.

/** Seed of the pseudorandom numbers; the variable SEED overrides it. */
const seed = Number(process.env.SEED ?? 20_251_121);

function* randoms(start: number): Generator<number, never> {
  let state = start | 0;
  for (;;) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    yield (state >>> 0) / 2 ** 32;
  }
}

/** Folder for images that GDAL must read from a file. */
const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
test.after.always(() => rm(scratch, { recursive: true, force: true }));

const memory = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  async read(offset, length) {
    if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length + 2 ** 21))
      throw new Error(`The reader asked for ${length} bytes at ${offset} of ${bytes.length}.`);
    return Uint8Array.prototype.slice.call(bytes, offset, offset + length);
  },
});

/** Reads all cells. Ignores expected errors (FormatError, ConversionError); throws any other. */
async function outcome(reader: string, bytes: Uint8Array): Promise<'read' | 'refused'> {
  const nothing = () => {};
  await using open = new AsyncDisposableStack();
  const context = {
    signal: new AbortController().signal,
    scratch,
    log: nothing,
    reportLoss: nothing,
    remark: nothing,
    progress: nothing,
    reportBadRecord: nothing,
    onEnd: (close: () => Promise<void>) => open.defer(close),
  };
  try {
    const grid = await findReader(reader)!.read(memory(bytes), {}, context);
    if (grid.kind !== 'grid') throw new Error(`${reader} made ${grid.kind}.`);
    let rows = 0;
    for (let band = 0; band < Math.min(2, grid.bands.length); band++)
      for await (const { rowCount, samples } of grid.rows({ band, step: 0, layer: 0 })) {
        rows += rowCount;
        if (samples.length !== rowCount * grid.width) throw new Error('A block of rows has another size than it says.');
      }
    if (rows !== grid.height * Math.min(2, grid.bands.length))
      throw new Error(`${rows} rows came of a grid with ${grid.height}.`);
    return 'read';
  } catch (error) {
    if (error instanceof FormatError || error instanceof ConversionError) return 'refused';
    throw error;
  }
}

async function mutate(t: ExecutionContext, reader: string, sound: Uint8Array, times: number): Promise<void> {
  const random = randoms(seed);
  const next = (below: number) => Math.floor(random.next().value * below);
  const interesting = [0, 1, 0x7f, 0x80, 0xff, 0x20, 0x2d, 0x2e, 0x39];
  const seen = { read: 0, refused: 0 };
  for (let n = 0; n < times; n++) {
    // a copy; Buffer.slice would share the memory
    const bytes = new Uint8Array(sound).slice(0, next(12) === 0 ? next(sound.length) : sound.length);
    const changes = 1 + next(4);
    for (let change = 0; change < changes && bytes.length > 0; change++)
      bytes[next(bytes.length)] = next(2) === 0 ? interesting[next(interesting.length)]! : next(256);
    try {
      seen[await outcome(reader, bytes)]++;
    } catch (error) {
      t.log({ seed, mutation: n, bytes: Buffer.from(bytes).toString('base64').slice(0, 4000) });
      throw error;
    }
  }
  t.log(seen);
  t.true(seen.read > 0 && seen.refused > 0);
}

test('every prefix of an ASCII grid is read or ends with an expected error', async (t) => {
  const sound = Buffer.from(
    'ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\n1.5 -9999 3\n4 5 6e1',
  );
  for (let length = 0; length < sound.length; length++) await outcome('AsciiGridReader', sound.subarray(0, length));
  await t.notThrowsAsync(outcome('AsciiGridReader', sound));
});

test('every prefix of a GeoTIFF ends with an expected error', async (t) => {
  const sound = tiffFile({
    width: 5,
    height: 4,
    values: Array(20).fill(3),
    deflate: true,
    rowsPerStrip: 2,
    tags: placed(0, 0, 1),
  });
  t.is(await outcome('GeoTiffReader', sound), 'read');
  for (let length = 0; length < sound.length; length++)
    t.is(await outcome('GeoTiffReader', sound.subarray(0, length)), 'refused');
});

test('seeded mutations of an ASCII grid are read or end with an expected error', async (t) => {
  const sound = Buffer.from(
    'ncols 6\nnrows 4\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\n1.5 -9999 3 4e2 0.123456789012 6\n1 2 3 4 5 6\n7 8 9 10 11 12\n-1 -2 -3 nan 5 123456789.5\n',
  );
  await mutate(t, 'AsciiGridReader', sound, 10_000);
});

const values = Array.from({ length: 12 * 9 * 2 }, (_, n) => (n * 5) % 251);
const variants = {
  'stored strips': tiffFile({
    width: 12,
    height: 9,
    samples: 2,
    values,
    rowsPerStrip: 2,
    tags: { ...placed(5, 6, 7), ...geoKeys([1024, 1], [3072, 25832]) },
  }),
  'deflated tiles of a BigTIFF': tiffFile({
    width: 12,
    height: 9,
    samples: 2,
    values,
    tile: 16,
    planar: true,
    deflate: true,
    predictor: 2,
    bits: 16,
    bigTiff: true,
  }),
  'big endian floats': tiffFile({
    width: 12,
    height: 9,
    samples: 2,
    values,
    bits: 32,
    format: 3,
    bigEndian: true,
    tags: { 42113: [2, '-9999'] },
  }),
  bits: tiffFile({ width: 12, height: 9, values: values.map((value) => value & 1).slice(0, 108), bits: 1 }),
};
for (const [name, sound] of Object.entries(variants))
  test(`seeded mutations of a GeoTIFF are read or end with an expected error: ${name}`, async (t) => {
    await mutate(t, 'GeoTiffReader', sound, 2500);
  });

for (const [name, { base64 }] of Object.entries(rareTiffs))
  test(`seeded mutations of a rare kind of TIFF are read or end with an expected error: ${name}`, async (t) => {
    await mutate(t, 'GeoTiffReader', Buffer.from(base64, 'base64'), 250);
  });

test('reading ends for a circular chain of images, or one with thousands of images', async (t) => {
  const file = tiffFile({ width: 1, height: 1, values: [1] });
  const list = file.readUInt32LE(4);
  const next = list + 2 + file.readUInt16LE(list) * 12;
  const links = Buffer.alloc(6 * 100_000);
  const chained = Buffer.concat([file, links]);
  chained.writeUInt32LE(file.length, next);
  for (let n = 0; n < 100_000; n++) {
    const at = file.length + n * 6;
    // an IFD without tags is invalid and ends the chain
    chained.writeUInt16LE(0, at);
    chained.writeUInt32LE(at + 6, at + 2);
  }
  t.is(await outcome('GeoTiffReader', chained), 'read');
  const many = Buffer.concat([file, Buffer.alloc(18 * 5000)]);
  many.writeUInt32LE(file.length, next);
  for (let n = 0; n < 5000; n++) {
    const at = file.length + n * 18;
    many.writeUInt16LE(1, at);
    many.writeUInt16LE(254, at + 2);
    many.writeUInt16LE(4, at + 4);
    many.writeUInt32LE(1, at + 6);
    many.writeUInt32LE(at + 18, at + 14);
  }
  t.is(await outcome('GeoTiffReader', many), 'read');
  many.writeUInt32LE(list, next);
  t.is(await outcome('GeoTiffReader', many), 'read');
});

test('mutated LZW, PackBits and Zstd blocks are read or end with an expected error', async (t) => {
  const sound = tiffFile({ width: 12, height: 9, values: values.slice(0, 108) });
  for (const Compression of ['Lzw', 'PackBits', 'Zstd']) {
    const { bytes } = await converted(t, sound, {
      reader: 'GeoTiffReader',
      writer: 'GeoTiffWriter',
      writerParameters: { Compression },
    });
    t.deepEqual(await valuesOf(await gridOf(t, bytes)), values.slice(0, 108));
    await mutate(t, 'GeoTiffReader', bytes, 1500);
  }
});

test('reading a file that shrinks throws an error instead of returning a wrong grid', async (t) => {
  const bytes = Buffer.from(`ncols 1000\nnrows 1000\nxllcorner 0\nyllcorner 0\ncellsize 1\n${'1 '.repeat(1_000_000)}`);
  const source: ByteSource = {
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, Math.min(offset + length, 1_200_000)),
  };
  const nothing = () => {};
  const grid = await findReader('AsciiGridReader')!.read(
    source,
    {},
    {
      signal: new AbortController().signal,
      scratch: '',
      log: nothing,
      reportLoss: nothing,
      remark: nothing,
      progress: nothing,
      reportBadRecord: nothing,
      onEnd: nothing,
    },
  );
  if (grid.kind !== 'grid') return t.fail();
  const error = await t.throwsAsync(valuesOf(grid));
  t.false(error instanceof FormatError);
  t.regex(error!.message, /^The input ended at byte/);
});
