import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type Band, firstSlice, type Grid } from '../../src/files/data/grid.ts';
import type { Samples } from '../../src/files/data/item.ts';
import { geoTagsFor } from '../../src/files/formats/geotiff/geokeys.ts';
import { FileSink } from '../../src/files/formats/io/bytes.ts';
import { completeParameters } from '../../src/files/formats/parameters.ts';
import { findWriter } from '../../src/files/formats/registry.ts';
import { crsFromProj } from '../../src/files/geo/crs/crs.ts';
import { converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { rareTiffs } from './rare-tiffs.ts';
import { geoKeys, placed, tiffFile } from './tiff-file.ts';
import { written } from './written.ts';

const copy = { reader: 'GeoTiffReader', writer: 'GeoTiffWriter' };
const toAscii = { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' };
const one = { width: 1, height: 1, values: [1] };

for (const [name, { base64, bands }] of Object.entries(rareTiffs))
  test(`a rare kind of TIFF is read as GDAL reads it: ${name}`, async (t) => {
    const { bytes } = await converted(t, Buffer.from(base64, 'base64'), copy);
    const grid = await gridOf(t, bytes);
    t.is(grid.bands.length, bands.length);
    for (const [band, values] of bands.entries()) t.deepEqual(await valuesOf(grid, band), values);
  });

test('an image that claims far more cells than its file can hold is refused before GDAL writes them', async (t) => {
  const file = tiffFile({ ...one, tags: { 256: [4, [60_000]], 257: [4, [60_000]], 258: [3, [12]] } });
  await t.throwsAsync(converted(t, file, copy), { message: /declares 60000 × 60000 cells/ });
});

test('an image with only control points is resampled, and the receipt says so', async (t) => {
  const [width, height] = [4, 3];
  const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const corners = [
    [0, 0],
    [4, 0],
    [0, 3],
    [4, 3],
  ].flatMap(([column, row]) => [column!, row!, 0, 100 + column! * 10, 200 - row! * 10, 0]);
  const tags = { 33922: [12, corners] as [number, number[]], ...geoKeys([1024, 1], [3072, 25832]) };
  const { bytes, receipt } = await converted(t, tiffFile({ width, height, values, tags }), copy);
  const grid = await gridOf(t, bytes);
  t.deepEqual(
    grid.affine.map((value) => Math.round(value * 1e6) / 1e6),
    [100, 10, 0, 200, 0, -10],
  );
  t.deepEqual(await valuesOf(grid), values);
  t.regex(receipt.lost.join(), /control points only/);
});

test('64-bit integers stay exact from GeoTIFF to GeoTIFF and to ASCII grid', async (t) => {
  const exact = [2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n, 0n];
  const file = tiffFile({ width: 2, height: 2, values: exact as never, bits: 64, format: 2, tags: placed(0, 0, 1) });
  const cells = (bytes: Buffer) => exactOf(bytes, t);
  for (const writerParameters of [{}, { Tiled: true }, { Cog: true }, { Compression: 'None' }]) {
    const { bytes, receipt } = await converted(t, file, { ...copy, writerParameters });
    t.deepEqual(await cells(bytes), exact);
    t.deepEqual(receipt.lost, []);
  }
  const { text } = await converted(t, file, toAscii);
  t.true(text.endsWith('9223372036854775807 -9223372036854775808\n9007199254740993 0\n'));
});

async function exactOf(bytes: Buffer, t: Parameters<typeof gridOf>[0]): Promise<bigint[]> {
  const found: bigint[] = [];
  for await (const { exact } of (await gridOf(t, bytes)).rows(firstSlice)) found.push(...exact!);
  return found;
}

test('the nodata value of 64-bit integers stays exact', async (t) => {
  const file = tiffFile({ ...one, bits: 64, format: 1, tags: { 42113: [2, '18446744073709551615'] } });
  const { bytes } = await converted(t, file, copy);
  t.is((await gridOf(t, bytes)).bands[0]!.exactNodata, 18446744073709551615n);
  t.true(bytes.toString('latin1').includes('18446744073709551615'));
});

test('64-bit integers beyond 2^53 are rounded by reprojection, and the receipt says so', async (t) => {
  const values = [9_007_199_254_740_993n, 5n, 6n, 7n] as never;
  const tags = { ...placed(500_000, 6_000_000, 100), ...geoKeys([1024, 1], [3072, 25832]) };
  const transformations = [{ type: 'crsTransformation', outputSrid: 25833 }];
  const file = tiffFile({ width: 2, height: 2, values, bits: 64, format: 2, tags });
  const { bytes, receipt } = await converted(t, file, { ...copy, transformations });
  t.regex(receipt.lost.join('\n'), /Integers above 2\^53 were rounded/);
  t.is((await gridOf(t, bytes)).bands[0]!.integer64, 'Int64');
});

test('names, units, scale and offset of bands are kept in GeoTIFF, and reported as lost in an ASCII grid', async (t) => {
  const xml = [
    '<GDALMetadata>',
    '<Item name="DESCRIPTION" sample="0" role="description">Tiefe &amp;lt; 5</Item>',
    '<Item name="UNITTYPE" sample="0" role="unittype">m</Item>',
    '<Item name="SCALE" sample="0" role="scale">0.5</Item>',
    '<Item name="OFFSET" sample="0" role="offset">-3</Item>',
    '<Item name="STATISTICS_MEAN" sample="0">3</Item>',
    '<Item name="SENSOR">Eye</Item>',
    '</GDALMetadata>',
  ].join('');
  const file = tiffFile({ ...one, tags: { 42112: [2, xml], ...placed(0, 0, 1) } });
  const { bytes, receipt } = await converted(t, file, copy);
  const [band] = (await gridOf(t, bytes)).bands;
  t.like(band, { name: 'Tiefe < 5', unit: 'm', scale: 0.5, offset: -3 });
  t.deepEqual(receipt.lost, ['Metadata of the file were left out: SENSOR.']);
  const ascii = await converted(t, file, toAscii);
  t.regex(ascii.receipt.lost.join('\n'), /which are 'Tiefe < 5' in m\./);
  t.regex(ascii.receipt.lost.join('\n'), /value · 0\.5 \+ -3/);
});

test('colour interpretation and colour tables are kept from GeoTIFF to GeoTIFF', async (t) => {
  const palette = Array.from({ length: 3 * 16 }, (_, n) => n * 1000);
  const file = tiffFile({ ...one, bits: 4, tags: { 262: [3, [3]], 320: [3, palette] } });
  const grid = await gridOf(t, (await converted(t, file, copy)).bytes);
  t.is(grid.bands[0]!.role, 'palette');
  t.is(grid.bands[0]!.palette!.length, 3 * 256);
  t.deepEqual(grid.bands[0]!.palette!.slice(256, 272), palette.slice(16, 32));
  const picture = tiffFile({ ...one, values: [1, 2, 3, 4], samples: 4, tags: { 262: [3, [2]], 338: [3, [2]] } });
  const copied = await gridOf(t, (await converted(t, picture, copy)).bytes);
  t.deepEqual(
    copied.bands.map(({ role }) => role),
    ['red', 'green', 'blue', 'alpha'],
  );
});

test('the receipt reports further images and masks as left out, but not overviews', async (t) => {
  const file = tiffFile({ ...one, tags: { 254: [4, [0]] } });
  const second = (kind: number) => {
    const start = file.length + (file.length % 2);
    const both = Buffer.concat([file, Buffer.alloc(file.length % 2), Buffer.alloc(2 + 12 + 4)]);
    const list = file.readUInt32LE(4);
    both.writeUInt32LE(start, list + 2 + file.readUInt16LE(list) * 12);
    both.writeUInt16LE(1, start);
    both.writeUInt16LE(254, start + 2);
    both.writeUInt16LE(4, start + 4);
    both.writeUInt32LE(1, start + 6);
    both.writeUInt32LE(kind, start + 10);
    // a circular chain of IFDs
    both.writeUInt32LE(start, start + 14);
    return both;
  };
  const lost = async (kind: number) => (await converted(t, second(kind), copy)).receipt.lost;
  t.deepEqual(await lost(0), ['The file has 1 more image; only the first one was read.']);
  t.deepEqual(await lost(4), ['The file has a transparency mask; it was left out, so masked cells are visible.']);
  t.deepEqual(await lost(1), []);
});

test('a Cloud Optimized GeoTIFF starts with all IFDs, followed by the tiles of the smallest to the largest image', async (t) => {
  const [width, height] = [301, 150];
  const values = Array.from({ length: width * height }, (_, n) => (n * 13) % 1000);
  const file = tiffFile({ width, height, values, bits: 32, format: 3, tags: { ...placed(0, 0, 1), 42113: [2, '7'] } });
  for (const BigTiff of ['Yes', 'No']) {
    const { bytes } = await converted(t, file, { ...copy, writerParameters: { Cog: true, BlockSize: 64, BigTiff } });
    t.deepEqual(await valuesOf(await gridOf(t, bytes)), values);
    const header = BigTiff === 'Yes' ? 16 : 8;
    t.is(bytes.toString('latin1', header, header + 30), 'GDAL_STRUCTURAL_METADATA_SIZE=');
    const images = imagesOf(bytes, BigTiff === 'Yes');
    t.deepEqual(
      images.map((image) => [image.width, image.height]),
      [
        [301, 150],
        [150, 75],
        [75, 37],
        [37, 18],
      ],
    );
    t.is(images[0]!.at, header + 43 + Number(bytes.toString('latin1', header + 30, header + 36)) + 1);
    t.true(images.every(({ at }, n) => n === 0 || at > images[n - 1]!.at));
    const smallestFirst = images.toReversed();
    t.true(smallestFirst.every(({ tiles }, n) => n === 0 || tiles[0]! > smallestFirst[n - 1]!.tiles.at(-1)!));
    t.true(smallestFirst[0]!.tiles[0]! > images.at(-1)!.at);
  }
});

/** The IFDs of a file with their image sizes and tile offsets. */
function imagesOf(bytes: Buffer, big: boolean): { at: number; width: number; height: number; tiles: number[] }[] {
  const long = (at: number) => (big ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at));
  const [countSize, entrySize, room] = big ? [8, 20, 8] : [2, 12, 4];
  const images = [];
  for (let at = long(big ? 8 : 4); at !== 0; ) {
    const count = big ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt16LE(at);
    const found = { at, width: 0, height: 0, tiles: [] as number[] };
    for (let entry = at + countSize; entry < at + countSize + count * entrySize; entry += entrySize) {
      const id = bytes.readUInt16LE(entry);
      const place = entry + entrySize - room;
      if (id === 256) found.width = bytes.readUInt32LE(place);
      if (id === 257) found.height = bytes.readUInt32LE(place);
      const values = long(entry + 4);
      const start = values === 1 ? place : long(place);
      if (id === 324) found.tiles = Array.from({ length: values }, (_, n) => long(start + n * room));
    }
    images.push(found);
    at = long(at + countSize + count * entrySize);
  }
  return images;
}

test('overviews average floats without nodata cells; integers take the nearest cell', async (t) => {
  const smallest = async (bits: number, format: 1 | 3, Overviews: string) => {
    const values = Array.from({ length: 32 * 32 }, (_, n) => (n === 0 ? 7 : n === 1 ? 10 : n === 32 ? 20 : 30));
    const file = tiffFile({ width: 32, height: 32, values, bits, format, tags: { 42113: [2, '7'] } });
    const writerParameters = { Cog: true, BlockSize: 16, Compression: 'None', Overviews };
    const { bytes } = await converted(t, file, { ...copy, writerParameters });
    const images = imagesOf(bytes, false);
    const at = images[1]?.tiles[0];
    if (at === undefined) return undefined;
    return format === 3 ? bytes.readFloatLE(at) : bytes.readUInt16LE(at);
  };
  t.is(await smallest(32, 3, 'Auto'), 20);
  t.is(await smallest(16, 1, 'Auto'), 7);
  t.is(await smallest(16, 1, 'Average'), 20);
  t.is(await smallest(32, 3, 'Nearest'), 7);
  t.is(await smallest(32, 3, 'None'), undefined);
});

test('an aborted conversion leaves no tiles in the scratch folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cog-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const grid = await gridOf(t, tiffFile({ width: 32, height: 32, values: Array(1024).fill(1) }));
  const broken: Grid = {
    ...grid,
    async *rows() {
      yield { firstRow: 0, rowCount: 16, samples: new Uint8Array(512) };
      throw new Error('The input went away.');
    },
  };
  const writer = findWriter('GeoTiffWriter')!;
  const sink = await FileSink.create(join(folder, 'out'));
  const context = {
    signal: new AbortController().signal,
    scratch: folder,
    log() {},
    reportLoss() {},
    remark() {},
    progress() {},
    reportBadRecord() {},
    onEnd() {},
  };
  const writing = writer.write(broken, completeParameters(writer, { Cog: true, BlockSize: 16 }), sink, context);
  await t.throwsAsync(writing, { message: 'The input went away.' });
  await sink.close();
  t.deepEqual(await readdir(folder), ['out']);
});

test('an image without georeference is written without one', async (t) => {
  const { bytes } = await converted(t, tiffFile(one), copy);
  const grid = await gridOf(t, bytes);
  t.is(grid.located, false);
  t.is((await gridOf(t, tiffFile({ ...one, tags: placed(0, 0, 1) }))).located, undefined);
});

test('a coordinate system that GeoTIFF cannot store is reported as lost', async (t) => {
  const told = async (proj: string) => {
    const lost: string[] = [];
    const tags = await geoTagsFor(await crsFromProj(proj), (sentence) => lost.push(sentence));
    return { tags, lost: lost.join() };
  };
  const rotated = await told('+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=39.25 +lon_0=18');
  t.is(rotated.tags, undefined);
  t.regex(rotated.lost, /cannot store the coordinate system/);
  const plain = await told('+proj=laea +lat_0=52 +lon_0=10 +x_0=1 +y_0=2 +ellps=GRS80');
  t.truthy(plain.tags);
  t.is(plain.lost, '');
});

/** One row of cells; each band is written as it is given. */
const rowOf = (...bands: (Pick<Band, 'name' | 'type' | 'nodata'> & { values: Samples })[]): Grid => ({
  kind: 'grid',
  width: bands[0]!.values.length,
  height: 1,
  affine: [0, 1, 0, 0, 0, -1],
  bands: bands.map(({ values: _, ...band }) => band),
  async *rows({ band }) {
    yield { firstRow: 0, rowCount: 1, samples: bands[band]!.values.slice() };
  },
});

test('nodata values of all bands are rewritten to that of the file, in any type', async (t) => {
  const single = Math.fround(-1e-35);
  const all = rowOf(
    { name: 'level', type: 'Float32', values: Float32Array.of(1, 2, 3) },
    { name: 'depth', type: 'Float32', nodata: -1e-35, values: Float32Array.of(single, 5, -9999) },
    { name: 'flow', type: 'Int16', nodata: -9999, values: Int16Array.of(-9999, 7, 8) },
    { name: 'speed', type: 'Float64', nodata: Number.NaN, values: Float64Array.of(Number.NaN, 1e-300, 9) },
    { name: 'mass', type: 'Float64', nodata: -1e-255, values: Float64Array.of(1, 2, -1e-255) },
  );
  for (const parameters of [{}, { Cog: true }]) {
    const { content, lost } = await written(t, all, 'GeoTiffWriter', parameters);
    const grid = await gridOf(t, content);
    t.deepEqual(
      grid.bands.map(({ nodata }) => nodata),
      new Array(5).fill(single),
    );
    t.deepEqual(await Promise.all(all.bands.map((_, band) => valuesOf(grid, band))), [
      [1, 2, 3],
      [single, 5, -9999],
      [single, 7, 8],
      [single, 1e-300, 9],
      [1, 2, single],
    ]);
    t.deepEqual(lost, ['Bands have the types Float32, Int16, Float64; all were written as Float64.']);
  }
});

test('a band that uses the file’s nodata as a value keeps its cells, and the receipt names it', async (t) => {
  const { content, lost } = await written(
    t,
    rowOf(
      { name: 'kind', type: 'UInt8', nodata: 255, values: Uint8Array.of(255, 1) },
      { name: 'share', type: 'UInt8', nodata: 0, values: Uint8Array.of(0, 255) },
      { name: 'code', type: 'UInt8', nodata: 0, values: Uint8Array.of(0, 3) },
    ),
    'GeoTiffWriter',
  );
  const grid = await gridOf(t, content);
  t.deepEqual(await Promise.all([0, 1, 2].map((band) => valuesOf(grid, band))), [
    [255, 1],
    [0, 255],
    [255, 3],
  ]);
  t.deepEqual(lost, [
    "A GeoTIFF has one nodata value for all bands, here 255. Cells of 'share' have this value, so that they lost it; nodata values of these bands were kept as values.",
  ]);
});
