import test from 'ava';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { sridOf } from '../../src/files/geo/crs/crs.ts';
import { converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { geoKeys, placed, type TiffFile, tiffFile } from './tiff-file.ts';

const copy = { reader: 'GeoTiffReader', writer: 'GeoTiffWriter' };
const ramp = (count: number, top = 200) => Array.from({ length: count }, (_, n) => (n * 7) % top);

test('every sample type is read, in both byte orders, from classic TIFF and BigTIFF', async (t) => {
  const types: [bits: number, format: 1 | 2 | 3, type: string, values: number[]][] = [
    [1, 1, 'UInt8', [1, 0, 1, 1, 0, 1]],
    [2, 1, 'UInt8', [3, 0, 1, 2, 2, 1]],
    [4, 1, 'UInt8', [15, 0, 1, 8, 2, 9]],
    [8, 1, 'UInt8', [255, 0, 1, 2, 3, 4]],
    [8, 2, 'Int8', [-128, 127, -1, 0, 1, 2]],
    [16, 1, 'UInt16', [65535, 0, 258, 1, 2, 3]],
    [16, 2, 'Int16', [-32768, 32767, -1, 258, 0, 1]],
    [32, 1, 'UInt32', [4294967295, 0, 16909060, 1, 2, 3]],
    [32, 2, 'Int32', [-2147483648, 2147483647, -1, 16909060, 0, 1]],
    [64, 2, 'Float64', [-9007199254740991, 5, 1, 2, 3, 4]],
    [16, 3, 'Float32', [0.5, -2, 65504, 0, 1, 2]],
    [32, 3, 'Float32', [0.5, -2, Math.fround(1e30), 0, 1, Math.fround(0.1)]],
    [64, 3, 'Float64', [0.1, -2, 1e300, 0, 1, 2]],
  ];
  for (const [bits, format, type, values] of types)
    for (const bigEndian of [false, true])
      for (const bigTiff of [false, true])
        for (const deflate of [false, true]) {
          const grid = await gridOf(
            t,
            tiffFile({ width: 3, height: 2, values, bits, format, bigEndian, bigTiff, deflate }),
          );
          t.is(grid.bands[0]?.type, type as never);
          t.deepEqual(await valuesOf(grid), values, JSON.stringify({ bits, format, bigEndian, bigTiff, deflate }));
        }
});

test('strips, tiles, chunky and planar bands and the horizontal predictor give the same cells', async (t) => {
  const [width, height, samples] = [37, 23, 3];
  const values = ramp(width * height * samples, 60_000);
  const ways: Partial<TiffFile>[] = [{}, { rowsPerStrip: 1 }, { rowsPerStrip: 7 }, { tile: 16 }, { tile: 64 }];
  for (const way of ways)
    for (const planar of [false, true])
      for (const predictor of [1, 2] as const)
        for (const bigEndian of [false, true]) {
          const file = tiffFile({
            width,
            height,
            samples,
            values,
            bits: 16,
            planar,
            predictor,
            bigEndian,
            deflate: predictor === 2,
            ...way,
          });
          const grid = await gridOf(t, file);
          t.is(grid.bands.length, samples);
          for (let band = 0; band < samples; band++)
            t.deepEqual(
              await valuesOf(grid, band),
              values.filter((_, n) => n % samples === band),
            );
        }
});

test('every sample type is the same after writing and reading, with every compression, tiles and strips', async (t) => {
  const [width, height] = [150, 41];
  const kinds: [bits: number, format: 1 | 2 | 3][] = [
    [8, 1],
    [8, 2],
    [16, 1],
    [16, 2],
    [32, 1],
    [32, 2],
    [32, 3],
    [64, 3],
  ];
  for (const [bits, format] of kinds) {
    const values = ramp(width * height, 100).map((value, n) =>
      n % 500 < 300 ? 42 : format === 3 ? value + 0.25 : value,
    );
    const file = tiffFile({ width, height, values, bits, format, tags: placed(10, 20, 2) });
    const original = await gridOf(t, file);
    for (const Compression of ['None', 'Deflate', 'Lzw', 'PackBits', 'Zstd'])
      for (const [Tiled, Predictor, BigTiff] of [
        [false, true, 'No'],
        [true, false, 'Yes'],
      ] as const) {
        const { bytes } = await converted(t, file, {
          ...copy,
          writerParameters: { Compression, Tiled, Predictor, BigTiff, BlockSize: 32 },
        });
        t.is(bytes.readUInt16LE(2), BigTiff === 'Yes' ? 43 : 42);
        const grid = await gridOf(t, bytes);
        t.deepEqual(
          [grid.width, grid.height, grid.bands, grid.affine],
          [width, height, original.bands, original.affine],
        );
        t.deepEqual(await valuesOf(grid), values, `${bits} ${format} ${Compression}`);
      }
  }
});

test('a block that exceeds the LZW table is decoded correctly', async (t) => {
  let seed = 5;
  const values = Array.from({ length: 500 * 300 }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return (seed >>> 24) & 63;
  });
  const { bytes } = await converted(t, tiffFile({ width: 500, height: 300, values }), {
    ...copy,
    writerParameters: { Compression: 'Lzw', Predictor: false },
  });
  t.deepEqual(await valuesOf(await gridOf(t, bytes)), values);
});

test('the parameter Band selects one band; without it, all are read', async (t) => {
  const file = tiffFile({ width: 2, height: 2, samples: 3, values: ramp(12), tags: placed(0, 2, 1) });
  const all = await gridOf(t, (await converted(t, file, copy)).bytes);
  t.is(all.bands.length, 3);
  t.deepEqual(await valuesOf(all, 2), [14, 35, 56, 77]);
  const one = await gridOf(t, (await converted(t, file, { ...copy, readerParameters: { band: '2' } })).bytes);
  t.is(one.bands.length, 1);
  t.deepEqual(await valuesOf(one), [7, 28, 49, 70]);
  const error = await t.throwsAsync(converted(t, file, { ...copy, readerParameters: { Band: 4 } }), {
    instanceOf: ConversionError,
  });
  t.is(error?.message, 'The image has no band 4. It has 3.');
});

test('the geotransform is read from tiepoint and scale, from the matrix, and with a half-cell shift for PixelIsPoint', async (t) => {
  const affineOf = async (tags: NonNullable<TiffFile['tags']>) =>
    (await gridOf(t, tiffFile({ width: 2, height: 2, values: [1, 2, 3, 4], tags }))).affine;
  t.deepEqual(await affineOf(placed(100, 200, 10)), [100, 10, 0, 200, 0, -10]);
  t.deepEqual(
    await affineOf({ 33550: [12, [10, 10, 0]], 33922: [12, [1, 1, 0, 110, 190, 0]] }),
    [100, 10, 0, 200, 0, -10],
  );
  t.deepEqual(await affineOf({ ...placed(100, 200, 10), ...geoKeys([1025, 2]) }), [95, 10, 0, 205, 0, -10]);
  t.deepEqual(
    await affineOf({ 34264: [12, [3, 1, 0, 100, 2, -4, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1]] }),
    [100, 3, 1, 200, 2, -4],
  );
  t.deepEqual(await affineOf({}), [0, 1, 0, 0, 0, -1]);
});

test('rotated and south-up grids keep their matrix', async (t) => {
  for (const matrix of [
    [3, 1, 0, 100, 2, -4, 0, 200],
    [5, 0, 0, 100, 0, 5, 0, 200],
  ]) {
    const file = tiffFile({
      width: 2,
      height: 2,
      values: [1, 2, 3, 4],
      tags: { 34264: [12, [...matrix, 0, 0, 0, 0, 0, 0, 0, 1]] },
    });
    const grid = await gridOf(t, (await converted(t, file, copy)).bytes);
    t.deepEqual(grid.affine, (await gridOf(t, file)).affine);
    t.deepEqual(await valuesOf(grid), [1, 2, 3, 4]);
  }
});

test('the coordinate system is kept by its EPSG code', async (t) => {
  for (const [keys, srid] of [
    [geoKeys([1024, 1], [3072, 25832]), 'EPSG:25832'],
    [geoKeys([1024, 2], [2048, 4326]), 'EPSG:4326'],
  ] as const) {
    const file = tiffFile({ width: 1, height: 1, values: [1], tags: { ...placed(9, 50, 1), ...keys } });
    const { bytes, receipt } = await converted(t, file, copy);
    t.is(sridOf((await gridOf(t, bytes)).crs!), srid);
    t.deepEqual(receipt.crs, { from: srid });
  }
});

test('a coordinate system without an EPSG code, and one of Esri, are kept in a GeoTIFF', async (t) => {
  for (const srid of ['ESRI:54030', 'ESRI:102003']) {
    const text = 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n5';
    const { bytes } = await converted(t, text, {
      reader: 'AsciiGridReader',
      writer: 'GeoTiffWriter',
      readerParameters: { SRID: srid },
    });
    const { crs } = await gridOf(t, bytes);
    t.is(sridOf(crs!), srid);
  }
});

test('the parameter SRID overrides the file', async (t) => {
  const file = tiffFile({
    width: 1,
    height: 1,
    values: [1],
    tags: { ...placed(500000, 6000000, 1), ...geoKeys([1024, 1], [3072, 25832]) },
  });
  const { bytes, log, spatialInformation } = await converted(t, file, { ...copy, readerParameters: { SRID: '25833' } });
  t.is(sridOf((await gridOf(t, bytes)).crs!), 'EPSG:25833');
  t.true(log.some(({ message }) => message.includes('EPSG:25833')));
  t.is(spatialInformation?.srid, 25833);
  t.is(spatialInformation?.resolution, 1);
  t.regex(spatialInformation!.location!, /^POLYGON \(\(15 54\.1/);
});

test('an image without georeference has no location, also when SRID names a coordinate system', async (t) => {
  const file = tiffFile({ width: 2, height: 1, values: [1, 2] });
  const { spatialInformation } = await converted(t, file, { ...copy, readerParameters: { SRID: 25832 } });
  t.is(spatialInformation?.srid, 25832);
  t.is(spatialInformation?.location, undefined);
  t.is(spatialInformation?.resolution, undefined);
});

test('a nodata value that no sample can have is ignored, with a warning', async (t) => {
  const file = tiffFile({ width: 1, height: 1, values: [1], tags: { 42113: [2, '-9999'] } });
  const { bytes, log } = await converted(t, file, copy);
  t.is((await gridOf(t, bytes)).bands[0]?.nodata, undefined);
  t.true(log.some(({ message }) => message.includes("'-9999'")));
});

test('blocks of a sparse file have the nodata value', async (t) => {
  const file = tiffFile({
    width: 2,
    height: 2,
    rowsPerStrip: 1,
    values: [1, 2, 3, 4],
    tags: { 273: [4, [8, 0]], 279: [4, [2, 0]], 42113: [2, '7'] },
  });
  t.deepEqual(await valuesOf(await gridOf(t, file)), [1, 2, 7, 7]);
});

test('BigTiff Auto writes small files as classic TIFF', async (t) => {
  const { bytes } = await converted(t, tiffFile({ width: 1, height: 1, values: [1] }), copy);
  t.is(bytes.readUInt16LE(2), 42);
});

test('errors for broken files have an offset', async (t) => {
  const sound = { width: 4, height: 4, values: ramp(16) };
  const cases: [string, Buffer, RegExp][] = [
    ['empty', Buffer.alloc(0), /The file is empty/],
    ['an ASCII grid', Buffer.from('ncols 3\nnrows 2\n1 2 3'), /not a TIFF.*It looks like an ESRI ASCII grid/],
    ['no JPEG', tiffFile({ ...sound, tags: { 259: [3, [7]] } }), /A block is not a JPEG/],
    ['other', Buffer.from('hello world, hello'), /not a TIFF/],
    ['version', Buffer.from('II\x2c\0\x08\0\0\0'), /version is 44/],
    ['directory outside', Buffer.from('II\x2a\0\xff\xff\xff\x7f', 'latin1'), /list of tags should be at bytes/],
    ['no size', tiffFile({ ...sound, tags: { 256: null } }), /0 × 4 cells/],
    ['too wide', tiffFile({ ...sound, tags: { 256: [4, [4e9]] } }), /The maximum is 10000000/],
    [
      'too high',
      tiffFile({ ...sound, rowsPerStrip: 1, tags: { 257: [4, [4e9]] } }),
      /4000000000 blocks, but the file lists 4/,
    ],
    ['block outside', tiffFile({ ...sound, tags: { 273: [4, [1_000_000]] } }), /Block 0 should be at bytes 1000000/],
    [
      'block too short',
      tiffFile({ ...sound, rowsPerStrip: 2, tags: { 273: [4, [8, 12]], 279: [4, [3, 8]] } }),
      /has 3 bytes, too few for 8 bytes/,
    ],
    [
      'block far too short',
      tiffFile({ ...sound, deflate: true, tags: { 256: [4, [1_000_000]], 257: [4, [900]], 278: [4, [900]] } }),
      /too few for 900000000 bytes/,
    ],
    ['compressed block broken', tiffFile({ ...sound, tags: { 259: [3, [8]] } }), /cannot be decoded/],
    [
      'compressed block ends',
      tiffFile({ ...sound, deflate: true, tags: { 257: [4, [400]], 278: [4, [400]] } }),
      /decoded block has \d+ of 1600 bytes/,
    ],
    ['no cell size', tiffFile({ ...sound, tags: placed(0, 0, 0) }), /geotransform of the image is not valid/],
    ['half a column', tiffFile({ ...sound, tags: { 256: [12, [3.5]] } }), /Tag 256 contains 3\.5/],
    ['half a row', tiffFile({ ...sound, tags: { 257: [12, [3.5]] } }), /Tag 257 contains 3\.5/],
    ['half a band', tiffFile({ ...sound, tags: { 277: [12, [1.5]] } }), /Tag 277 contains 1\.5/],
    ['half a row in a strip', tiffFile({ ...sound, tags: { 278: [12, [3.5]] } }), /Tag 278 contains 3\.5/],
    [
      'half a column in a tile',
      tiffFile({ ...sound, tile: 16, tags: { 322: [12, [15.5]] } }),
      /Tag 322 contains 15\.5/,
    ],
    [
      'block between bytes',
      tiffFile({ ...sound, tags: { 273: [12, [10.5]], 279: [12, [16.5]] } }),
      /Tag 273 contains 10\.5/,
    ],
    ['block before the file', tiffFile({ ...sound, tags: { 273: [12, [-5]] } }), /Tag 273 contains -5/],
    ['block of less than no bytes', tiffFile({ ...sound, tags: { 279: [12, [-16]] } }), /Tag 279 contains -16/],
    ['no strips', tiffFile({ ...sound, tags: { 273: null } }), /1 blocks, but the file lists 0/],
  ];
  for (const [name, file, message] of cases) {
    const error = await t.throwsAsync(converted(t, file, copy), { instanceOf: FormatError }, name);
    t.regex(error!.message, message, name);
    t.is(typeof (error as FormatError).offset, 'number', name);
  }
});

test('the error for an unsupported kind of TIFF names the kind', async (t) => {
  const cases: [NonNullable<TiffFile['tags']>, RegExp][] = [
    [{ 259: [3, [34925]] }, /The compression LZMA \(number 34925\) is not supported/],
    [{ 259: [3, [50002]] }, /The compression JPEG XL \(number 50002\) is not supported/],
    [{ 259: [3, [4711]] }, /The compression number 4711 is not supported/],
    [{ 259: [3, [50001]] }, /WebP blocks with 1 samples of UInt8 are not supported/],
    [{ 339: [3, [6]] }, /\(complex\) are not supported/],
    [{ 258: [3, [8, 16]], 277: [3, [2]], 339: null }, /bands of different types/],
    [{ 33922: [12, [0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0]] }, /control points/],
  ];
  for (const [tags, message] of cases) {
    const error = await t.throwsAsync(
      converted(t, tiffFile({ width: 2, height: 2, values: [1, 2, 3, 4], tags }), copy),
      { instanceOf: ConversionError },
    );
    t.regex(error!.message, message);
  }
});

for (const { srid, west, south, side } of [
  { srid: 25832, west: 500000, south: 5999990, side: 10 },
  { srid: 4326, west: 9, south: 54, side: 0.5 },
]) {
  test(`a grid and features with the same extent get the same outline: EPSG:${srid}`, async (t) => {
    const tags = { ...placed(west, south + side, side), ...geoKeys([1024, 1], [3072, 25832]) };
    const readerParameters = { SRID: srid };
    const grid = await converted(t, tiffFile({ width: 1, height: 1, values: [1], tags }), {
      ...copy,
      readerParameters,
    });
    const [east, north] = [west + side, south + side];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, south],
    ];
    const features = await converted(t, JSON.stringify({ type: 'Polygon', coordinates: [ring] }), {
      reader: 'GeoJsonReader',
      writer: 'GeoJsonWriter',
      readerParameters,
    });
    t.truthy(grid.spatialInformation?.location);
    t.is(grid.spatialInformation?.location, features.spatialInformation?.location);
  });
}
