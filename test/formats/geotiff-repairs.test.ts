import test from 'ava';
import { FormatError } from '../../src/files/errors.ts';
import { converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { placed, type TiffFile, tiffFile } from './tiff-file.ts';

const toGrid = { reader: 'GeoTiffReader', writer: 'GeoTiffWriter' };
const values = Array.from({ length: 32 * 32 }, (_, n) => (n * 7) % 251);
const image: TiffFile = { width: 32, height: 32, values, tags: placed(0, 0, 10) };

/** A TIFF whose tags of blocks are changed. */
function withTags(file: TiffFile, change: (offsets: number[], counts: number[]) => Record<number, number[] | null>) {
  const tags: NonNullable<TiffFile['tags']> = { ...file.tags };
  const [offsetTag, countTag] = file.tile === undefined ? [273, 279] : [324, 325];
  const sound = tiffFile({ ...file, bigTiff: false, bigEndian: false });
  const at = (id: number) => {
    const directory = sound.readUInt32LE(4);
    for (let n = 0; n < sound.readUInt16LE(directory); n++) {
      const entry = directory + 2 + 12 * n;
      if (sound.readUInt16LE(entry) !== id) continue;
      const count = sound.readUInt32LE(entry + 4);
      const place = count === 1 ? entry + 8 : sound.readUInt32LE(entry + 8);
      return Array.from({ length: count }, (_, k) => sound.readUInt32LE(place + 4 * k));
    }
    throw new Error(`There is no tag ${id}.`);
  };
  const shift = file.bigTiff ? 8 : 0;
  const changed = change(
    at(offsetTag).map((offset) => offset + shift),
    at(countTag),
  );
  for (const [id, numbers] of Object.entries(changed)) tags[Number(id)] = numbers === null ? null : [4, numbers];
  return tiffFile({ ...file, tags });
}

const blocks: [string, Partial<TiffFile>][] = [
  ['one strip', {}],
  ['strips', { rowsPerStrip: 8 }],
  ['tiles', { tile: 16 }],
];
const faults: [string, (counts: number[], needed: number) => number[] | null][] = [
  ['0', (counts) => counts.map(() => 0)],
  ['0 in one', (counts) => counts.map((count, n) => (n === 0 ? 0 : count))],
  ['too small', (counts) => counts.map((count) => Math.ceil(count / 3))],
  ['1', (counts) => counts.map(() => 1)],
  ['behind the end of the file', (counts) => counts.map(() => 0x7fffffff)],
  ['missing', () => null],
  ['missing in part', (counts) => counts.slice(0, -1)],
];

for (const [shape, more] of blocks)
  for (const [fault, change] of faults)
    test(`byte counts are repaired as libtiff does, and the receipt says so: ${shape}, ${fault}`, async (t) => {
      const countTag = more.tile === undefined ? 279 : 325;
      for (const deflate of [false, true])
        for (const bigEndian of [false, true])
          for (const bigTiff of [false, true]) {
            const file = withTags({ ...image, ...more, deflate, bigEndian, bigTiff }, (_, counts) => {
              const wrong = change(counts, 0);
              return { [countTag]: wrong?.length === 0 ? null : wrong };
            });
            const label = JSON.stringify({ deflate, bigEndian, bigTiff });
            const { bytes, receipt } = await converted(t, file, toGrid);
            t.deepEqual(await valuesOf(await gridOf(t, bytes)), values, label);
            t.is(receipt.remarks.length, 1, label);
            t.regex(receipt.remarks[0]!, /byte counts?[ ;]/, label);
          }
    });

test('sound byte counts, and ones of padded strips, need no repair', async (t) => {
  for (const [, more] of blocks)
    for (const deflate of [false, true])
      t.deepEqual((await converted(t, tiffFile({ ...image, ...more, deflate }), toGrid)).receipt.remarks, []);
  const padded = withTags({ ...image, rowsPerStrip: 20 }, () => ({ 279: [640, 400] }));
  t.deepEqual((await converted(t, padded, toGrid)).receipt.remarks, []);
});

test('a byte count is not repaired with the bytes of another block or none', async (t) => {
  const overlapping = withTags({ ...image, rowsPerStrip: 8 }, (offsets, counts) => ({
    273: [offsets[0]!, offsets[0]! + 4, offsets[2]!, offsets[3]!],
    279: [3, ...counts.slice(1)],
  }));
  await t.throwsAsync(converted(t, overlapping, toGrid), { instanceOf: FormatError, message: /Block 0 has 3 bytes/ });
  const behind = withTags(image, () => ({ 273: [100_000], 279: [0] }));
  await t.throwsAsync(converted(t, behind, toGrid), { instanceOf: FormatError, message: /Block 0 should be at bytes/ });
  const bomb = withTags({ ...image, deflate: true }, () => ({ 257: [4_000_000], 278: [4_000_000], 279: [0] }));
  await t.throwsAsync(converted(t, bomb, toGrid), { instanceOf: FormatError, message: /too few for 128000000 bytes/ });
});

test('tiles in strip tags and strips in tile tags are read', async (t) => {
  const tiles = withTags({ ...image, tile: 16 }, (offsets, counts) => ({
    273: offsets,
    279: counts,
    324: null,
    325: null,
  }));
  t.deepEqual(await valuesOf(await gridOf(t, tiles)), values);
  const strips = withTags({ ...image, rowsPerStrip: 8 }, (offsets, counts) => ({
    324: offsets,
    325: counts,
    273: null,
    279: null,
  }));
  t.deepEqual(await valuesOf(await gridOf(t, strips)), values);
});

/** LZW as old versions of libtiff wrote it: the least significant bit first, and wider codes when they are needed. */
function oldLzw(bytes: Uint8Array): Buffer {
  const out: number[] = [];
  let [buffer, bits, width, next] = [0, 0, 9, 258];
  const put = (code: number) => {
    buffer += code * 2 ** bits;
    for (bits += width; bits >= 8; bits -= 8) {
      out.push(buffer % 256);
      buffer = Math.floor(buffer / 256);
    }
  };
  const table = new Map<string, number>();
  let prefix = '';
  const codeOf = (text: string) => (text.length === 1 ? text.charCodeAt(0) : table.get(text)!);
  put(256);
  for (const byte of bytes) {
    const longer = prefix + String.fromCharCode(byte);
    if (longer.length === 1 || table.has(longer)) {
      prefix = longer;
      continue;
    }
    put(codeOf(prefix));
    table.set(longer, next++);
    // the reader adds an entry one code later
    if (next > 1 << width && width < 12) width++;
    if (next > 4094) {
      put(256);
      table.clear();
      [width, next] = [9, 258];
    }
    prefix = String.fromCharCode(byte);
  }
  put(codeOf(prefix));
  if (next + 1 > 1 << width && width < 12) width++;
  put(257);
  if (bits > 0) out.push(buffer % 256);
  return Buffer.from(out);
}

test('LZW of old versions of libtiff, the least significant bit first, is read', async (t) => {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 16) & 15;
  };
  for (const cells of [values, Array.from({ length: 128 * 128 }, random), Array.from({ length: 64 * 64 }, () => 7)]) {
    const side = Math.sqrt(cells.length);
    const block = oldLzw(Uint8Array.from(cells));
    const file = (offset: number) =>
      tiffFile({
        width: side,
        height: side,
        values: cells,
        tags: { ...placed(0, 0, 10), 259: [3, [5]], 273: [4, [offset]], 279: [4, [block.length]] },
      });
    const bytes = Buffer.concat([file(file(0).length), block]);
    const { receipt, bytes: written } = await converted(t, bytes, toGrid);
    t.deepEqual(await valuesOf(await gridOf(t, written)), cells);
    t.regex(receipt.remarks.join(), /^Blocks have LZW codes of old versions of libtiff/);
  }
});

test('a rounded nodata value takes in the values that GDAL takes for it', async (t) => {
  const lowest = -3.4028234663852886e38;
  const f = Math.fround;
  const cases: [bits: 32 | 64, nodata: string, cells: number[], empty: number][] = [
    [32, '-3.39999999999999996e+38', [1.5, lowest, 3, lowest, 4, 6], 2],
    [32, '-3.4028235e+38', [1.5, lowest, 3, lowest, 4, 6], 2],
    [32, '-3.4e+38', [1.5, f(-3.4e38), lowest, 1e30, -1e30, 6], 2],
    [32, '3.4e+38', [1.5, -lowest, lowest, 1, 2, 6], 1],
    [32, '0.1', [f(0.1), f(0.10000001), f(0.1000001), f(0.1001), f(-0.1), 0], 2],
    [32, '-9999', [-9999, f(-9999.001), f(-9999.1), -9998, 9999, 0], 2],
    [32, '0', [0, 1e-30, -1e-30, 1, 2, 3], 1],
    [64, '-1.7976931348623157e+308', [1, -Number.MAX_VALUE, 2, 3, 4, 5], 1],
    [64, '-1.797e+308', [1, -Number.MAX_VALUE, 2, 3, 4, 5], 1],
    [64, '0.1', [0.1, 0.1 + 4.7e-8, 0.1 - 4.7e-8, 0.1 + 4.8e-8, -0.1, 0], 3],
  ];
  for (const [bits, text, cells, empty] of cases) {
    const file = tiffFile({
      width: 3,
      height: 2,
      values: cells,
      bits,
      format: 3,
      tags: { ...placed(0, 0, 10), 42113: [2, text] },
    });
    const { receipt, bytes } = await converted(t, file, toGrid);
    const { before } = receipt.statistics;
    t.is(before?.kind === 'grid' ? before.bands[0]!.empty : undefined, empty, `${bits} ${text}`);
    const grid = await gridOf(t, bytes);
    const nodata = grid.bands[0]!.nodata!;
    t.is((await valuesOf(grid)).filter((value) => value === nodata).length, empty, 'written as one value');
  }
  const { receipt } = await converted(
    t,
    tiffFile({ width: 2, height: 1, values: [1, lowest], bits: 32, format: 3, tags: { 42113: [2, '-3.4e+38'] } }),
    toGrid,
  );
  t.true(
    receipt.remarks.some((sentence) =>
      sentence.startsWith('Values that differ from the nodata value -3.3999999521443642e+38'),
    ),
  );
});
