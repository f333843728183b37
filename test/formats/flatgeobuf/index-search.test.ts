import test, { type ExecutionContext } from 'ava';
import { Box } from '../../../src/files/data/box.ts';
import type { ByteSource } from '../../../src/files/data/bytes.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { type FeatureBlock, foundBlocks, scanBlocks } from '../../../src/files/formats/io/flatgeobuf/feature-blocks.ts';
import { FeatureReader } from '../../../src/files/formats/io/flatgeobuf/feature-reader.ts';
import { type Header, readHeader } from '../../../src/files/formats/io/flatgeobuf/header-reader.ts';
import { findByNumber, type Indexed, searchIndex } from '../../../src/files/formats/io/flatgeobuf/index-search.ts';
import type { Area } from '../../../src/files/formats/io/flatgeobuf/schema.ts';
import { randomOf } from '../../world/random.ts';
import { collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { mutation, randoms, someOf } from '../hostile.ts';
import { memory } from '../read.ts';
import { gdalIndexed, gdalPlain } from './gdal-files.ts';

const SEED = 20_261_125;

/** A store of points, lines and features without a place, with texts of any length. */
async function storeOf(t: ExecutionContext, count: number): Promise<Buffer> {
  const random = randomOf(SEED);
  const features = Array.from({ length: count }, (_, n) => {
    const [x, y] = [random() * 300 - 150, random() * 140 - 70];
    const line = [
      [x, y],
      [x + random() * 20, y + random() * 5],
    ];
    const geometry = n % 50 === 7 ? null : n % 3 === 0 ? geometryOf('LineString', line) : geometryOf('Point', [x, y]);
    return feature(geometry, { n, text: 'x'.repeat(Math.floor(random() * 40)) });
  });
  return (await converted(t, collection(features), { reader: 'GeoJsonReader', writer: 'GISWriter' })).bytes;
}

interface Known {
  number: number;
  n: unknown;
  box: Box;
}

async function featuresOf(header: Header, blocks: AsyncIterable<FeatureBlock>): Promise<Known[]> {
  const reader = new FeatureReader(header);
  const all: Known[] = [];
  for await (const { bytes, offset, features } of blocks)
    for (const { number, at, size } of features) {
      const { values, geometry } = reader.read(bytes.subarray(at, at + size), offset + at);
      const box = new Box();
      if (geometry) box.add(geometry.coordinates, header.hasZ ? 3 : 2);
      all.push({ number, n: values[0], box });
    }
  return all;
}

async function* searched(source: ByteSource, header: Indexed, areas: readonly Area[], first = 0) {
  for await (const found of searchIndex(source, header, areas, first)) yield* foundBlocks(source, found);
}

const touches = ({ box }: Known, { west, south, east, north }: Area) =>
  box.west <= east && box.east >= west && box.south <= north && box.north >= south;

/** For quick comparisons. */
const told = (features: readonly Known[]) => features.map(({ number, n }) => `${number}:${n}`).join(' ');

/** Counts the bytes that are read. */
function counted(bytes: Buffer) {
  const inner = memory(bytes);
  const source = {
    size: inner.size,
    read: 0,
    reads: 0,
  };
  return {
    told: source,
    size: inner.size,
    read(offset: number, length: number) {
      source.read += length;
      source.reads++;
      return inner.read(offset, length);
    },
  };
}

test('searches of random boxes find the features of a full scan in file order, and read few other bytes', async (t) => {
  const bytes = await storeOf(t, 4000);
  const source = counted(bytes);
  const header = await readHeader(source);
  const indexed = header as Indexed & Header;
  const all = await featuresOf(header, scanBlocks(source, header));
  t.is(all.length, 4000);
  t.true(all.every(({ number }, n) => number === n));
  const random = randomOf(SEED + 1);
  let most = 0;
  for (let k = 0; k < 100; k++) {
    const [width, height] = [random() ** 3 * 200, random() ** 3 * 90];
    const [west, south] = [random() * 340 - 170, random() * 160 - 80];
    const areas = [{ west, south, east: west + width, north: south + height }];
    if (k % 4 === 0) areas.push({ west: -west, south, east: -west + 5, north: south + 5 });
    const expected = all.filter((one) => areas.some((area) => touches(one, area)));
    source.told.read = 0;
    const found = await featuresOf(header, searched(source, indexed, areas));
    t.is(told(found), told(expected));
    if (expected.length < 20) most = Math.max(most, source.told.read);
    const middle = expected[expected.length >> 1]?.number ?? 0;
    const rest = await featuresOf(header, searched(source, indexed, areas, middle));
    t.is(told(rest), told(expected.filter(({ number }) => number >= middle)), 'from a number on');
  }
  t.true(most < bytes.length / 3, `${most} of ${bytes.length} bytes were read for fewer than 20 features`);
});

test('a box that only touches an edge finds the feature; one beside it, an inverted one and one of NaN find none', async (t) => {
  const bytes = await storeOf(t, 400);
  const source = memory(bytes);
  const header = (await readHeader(source)) as Indexed & Header;
  const all = await featuresOf(header, scanBlocks(source, header));
  const found = async (area: Area) => (await featuresOf(header, searched(source, header, [area]))).map(({ n }) => n);
  for (const one of all.filter(({ box }) => box.west <= box.east).slice(0, 40)) {
    const { west, south, east, north } = one.box;
    for (const [x, y] of [
      [west, south],
      [east, north],
    ] as const)
      t.true((await found({ west: x, south: y, east: x, north: y })).includes(one.n));
  }
  const { west, south, east, north } = header.box!;
  const ends = all.filter(({ box }) => box.east === east).map(({ n }) => n);
  t.deepEqual(await found({ west: east, south, east: east + 1, north }), ends);
  t.deepEqual(await found({ west: east + 1e-9, south, east: east + 1, north }), []);
  t.deepEqual(await found({ west: 10, south, east: -10, north }), []);
  t.deepEqual(await found({ west: NaN, south: NaN, east: NaN, north: NaN }), []);
  t.is((await found({ west, south, east, north })).length, all.filter((one) => touches(one, header.box!)).length);
});

test('a feature is found by its number, and a scan begins at any feature', async (t) => {
  const source = memory(await storeOf(t, 300));
  const header = (await readHeader(source)) as Indexed & Header;
  const all = await featuresOf(header, scanBlocks(source, header));
  for (const number of [0, 1, 15, 16, 17, 255, 256, 298, 299]) {
    const found = await findByNumber(source, header, number);
    t.is(found.number, number);
    t.is(told(await featuresOf(header, foundBlocks(source, [found]))), told([all[number]!]));
    t.is(told(await featuresOf(header, scanBlocks(source, header, found))), told(all.slice(number)));
  }
});

test('features above the size limit are reported, and the others are returned in order', async (t) => {
  const points = Array.from({ length: 40 }, (_, n) =>
    feature(geometryOf('Point', [n, n]), { n, text: 'x'.repeat(n % 7 === 0 ? 5000 : 10) }),
  );
  const { bytes } = await converted(t, collection(points), { reader: 'GeoJsonReader', writer: 'GISWriter' });
  const source = memory(bytes);
  const header = (await readHeader(source)) as Indexed & Header;
  const area = { west: 0, south: 0, east: 40, north: 40 };
  const small = async (blocks: AsyncIterable<FeatureBlock>) => {
    const numbers: number[] = [];
    const large: number[] = [];
    for await (const { features, tooLarge } of blocks) {
      numbers.push(...features.map(({ number }) => number));
      for (const { number, size } of tooLarge) t.true(size > 5000 && large.push(number) > 0);
    }
    t.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    t.is(numbers.length, 34);
    t.is(large.length, 6);
    return [...numbers, ...large].toSorted((a, b) => a - b);
  };
  const every = Array.from({ length: 40 }, (_, n) => n);
  t.deepEqual(await small(scanBlocks(source, header, undefined, { maxSize: 1000 })), every);
  async function* found() {
    for await (const some of searchIndex(source, header, [area])) yield* foundBlocks(source, some, 1000);
  }
  t.deepEqual(await small(found()), every);
});

test('files of GDAL are searched by their index; without one they are scanned', async (t) => {
  const indexed = memory(gdalIndexed);
  const header = (await readHeader(indexed)) as Indexed & Header;
  const all = await featuresOf(header, scanBlocks(indexed, header));
  t.is(all.length, 4);
  for (const one of all.filter(({ box }) => box.west <= box.east))
    t.true(
      (await featuresOf(header, searched(indexed, header, [one.box]))).some(({ number }) => number === one.number),
    );
  const plain = await readHeader(memory(gdalPlain));
  t.is(plain.index, undefined);
  t.is((await featuresOf(plain, scanBlocks(memory(gdalPlain), plain))).length, 4);
});

test('an index with wrong children or offsets is refused with the node', async (t) => {
  const bytes = await storeOf(t, 300);
  const header = (await readHeader(memory(bytes))) as Indexed & Header;
  const everything = [header.box!];
  const broken = async (node: number, value: bigint) => {
    const copy = Buffer.from(bytes);
    copy.writeBigUInt64LE(value, header.index.start + 40 * node + 32);
    const source = memory(copy);
    return featuresOf(header, searched(source, header, everything));
  };
  const children = await t.throwsAsync(broken(1, 5n), { instanceOf: FormatError });
  t.regex(children.message, /^Node 1 of the index says that its children begin at node 5; they begin at node 3\./);
  const behind = await t.throwsAsync(broken(22 + 7, 2n ** 40n), { instanceOf: FormatError });
  t.regex(behind.message, /^The index says that feature \d+ begins at byte \d+ of \d+\.$/);
});

test('seeded mutations of a store are searched or refused with a sentence', async (t) => {
  const bytes = await storeOf(t, 200);
  const outcomes = { found: 0, refused: 0 };
  const next = randoms(SEED);
  // most bytes are features: mutate the header and the index, which end before them
  const end = bytes.length - 9000;
  for (let k = someOf(2000); k > 0; k--) {
    const start = mutation(bytes.subarray(0, end), next);
    const source = memory(start.length < end ? start : Buffer.concat([start, bytes.subarray(end)]));
    try {
      const header = await readHeader(source);
      if (header.index === undefined) continue;
      for await (const found of searchIndex(source, header as Indexed, [
        { west: -50, south: -50, east: 50, north: 50 },
      ]))
        for await (const { bytes: block, features } of foundBlocks(source, found))
          for (const { at, size } of features) t.true(at >= 0 && at + size <= block.length);
      outcomes.found++;
    } catch (error) {
      t.true(error instanceof FormatError, String(error));
      outcomes.refused++;
    }
  }
  t.log(outcomes);
  t.true(outcomes.found > 0 && outcomes.refused > 0);
});
