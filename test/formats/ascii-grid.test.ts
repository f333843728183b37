import test, { type ExecutionContext } from 'ava';
import { gridToMesh } from '../../src/files/convert/bridges/grid-to-mesh.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { SampleType } from '../../src/files/data/item.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { findWriter } from '../../src/files/formats/registry.ts';
import { bandsOf, converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { read } from './read.ts';
import { placed, tiffFile } from './tiff-file.ts';

const header = 'ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\n';
const toTiff = { reader: 'AsciiGridReader', writer: 'GeoTiffWriter' };
const toAscii = { reader: 'AsciiGridReader', writer: 'AsciiGridWriter' };

const asTiff = async (t: ExecutionContext, text: string) => gridOf(t, (await converted(t, text, toTiff)).bytes);

test('header keys may have any letter case and order', async (t) => {
  const grid = await asTiff(
    t,
    'CELLSIZE 10\nNODATA_Value -1\nYllCorner 200\nXLLCORNER 100\nNROWS 2\r\nnCols\t3\r\n1 2 3\r\n4 5 -1\r\n',
  );
  t.deepEqual(grid.affine, [100, 10, 0, 220, 0, -10]);
  t.deepEqual([grid.width, grid.height, grid.bands[0]?.nodata], [3, 2, -1]);
  t.deepEqual(await valuesOf(grid), [1, 2, 3, 4, 5, -1]);
});

test('centre headers place the corner half a cell away, and dx and dy give oblong cells', async (t) => {
  const centred = await asTiff(t, 'ncols 2\nnrows 1\nxllcenter 105\nyllcentre 205\ncellsize 10\n1 2');
  t.deepEqual(centred.affine, [100, 10, 0, 210, 0, -10]);
  const oblong = await asTiff(t, 'ncols 2\nnrows 1\nxllcorner 0\nyllcenter 1\ndx 10\ndy 2\n1 2');
  t.deepEqual(oblong.affine, [0, 10, 0, 2, 0, -2]);
});

test('NODATA is understood in any form that programs write', async (t) => {
  const cases: [string, number][] = [
    ['-9999', -9999],
    ['-9.999E+03', -9999],
    ['-9999.000', -9999],
    ['-9999,0', -9999],
    ['nan', Number.NaN],
    ['-1.#IND', Number.NaN],
    ['-3.4028234663852886e+38', Math.fround(-3.4028235e38)],
    ['-3.4028235e+38', Math.fround(-3.4028235e38)],
  ];
  for (const [word, nodata] of cases) {
    const result = await converted(t, `${header}NODATA_value ${word}\n1.5 2.5 ${word} 4 5 6`, toTiff);
    const grid = await gridOf(t, result.bytes);
    t.is(grid.bands[0]?.nodata, nodata, word);
    t.is(bandsOf(result.receipt.statistics.before)[0]?.empty, 1, word);
  }
  t.is((await asTiff(t, `${header}1 2 3 4 5 6`)).bands[0]?.nodata, undefined);
});

test('NODATA_value may be a word, which then marks cells without data', async (t) => {
  for (const word of ['null', 'NULL', 'none', 'NoData', 'N/A', '*']) {
    const text = `${header}NODATA_value ${word}\n1 2 ${word}\n${word.toLowerCase()} 5 6`;
    const { receipt, bytes } = await converted(t, text, toTiff);
    t.like(bandsOf(receipt.statistics.before)[0], { values: 4, empty: 2, minimum: 1, maximum: 6 }, word);
    t.deepEqual(await valuesOf(await gridOf(t, bytes)), [1, 2, Number.NaN, Number.NaN, 5, 6]);
    t.regex(receipt.remarks.join(), /^NODATA_value is the word '/);
  }
  const other = `${header}NODATA_value null\n1 2 3 4 5 nil`;
  await t.throwsAsync(converted(t, other, toTiff), { message: /^'nil' is not a number/ });
  await t.throwsAsync(converted(t, `NODATA_value\n${header}1 2 3 4 5 6`, toTiff), {
    message: /not followed by a number/,
  });
});

test('values may wrap lines freely', async (t) => {
  const grid = await asTiff(t, `${header} 1\n2 3 4\n\n5\t\t6\r\n\u001a`);
  t.deepEqual(await valuesOf(grid), [1, 2, 3, 4, 5, 6]);
});

test('the GeoTIFF is Int32 for integers, Float32 if it preserves all digits, otherwise Float64', async (t) => {
  const cases: [string, SampleType][] = [
    ['1 -2 3 2147483647 -2147483647 0', 'Int32'],
    ['1 2 3 4 5 2147483648', 'Float32'],
    ['1 2 3 4 5 2147483649', 'Float64'],
    ['1 2 3 4 5 6.0', 'Float32'],
    ['1.5 -0.001 123.4567 1e10 1e-10 0.1', 'Float32'],
    ['123.4560012817382812 1 2 3 4 5', 'Float32'],
    ['123456.789 1 2 3 4 5', 'Float64'],
    ['1 2 3 4 5 0.123456789012', 'Float64'],
    ['16777217.5 1 2 3 4 5', 'Float64'],
    ['1 2 3 4 5 1e300', 'Float64'],
    ['nan 1 2 3 4 5', 'Float32'],
    ['1 2 3 inf 4 5', 'Float32'],
  ];
  for (const [values, type] of cases) {
    const grid = await asTiff(t, `${header}${values}`);
    t.is(grid.bands[0]?.type, type, values);
    t.deepEqual(
      await valuesOf(grid),
      values
        .split(' ')
        .map((word) => Number(word.replace('nan', 'NaN').replace('inf', 'Infinity')))
        .map(type === 'Float32' ? Math.fround : Number),
      values,
    );
  }
});

test('a sample type that turns out too narrow late in the file is widened for all rows', async (t) => {
  const [width, height] = [1000, 700];
  const words = Array.from({ length: width * height }, (_, n) => String(n % 1000));
  words[words.length - 40_000] = '0.5';
  words[words.length - 3] = '0.123456789012';
  const text = `ncols ${width}\nnrows ${height}\nxllcorner 0\nyllcorner 0\ncellsize 1\n${words.join(' ')}`;
  const grid = await asTiff(t, text);
  t.is(grid.bands[0]?.type, 'Float64');
  t.true((await valuesOf(grid)).every((value, n) => value === Number(words[n])));
});

test('numbers are rounded correctly, however many digits they have', async (t) => {
  const words = [
    '0.1',
    '123456789',
    '1234567890',
    '0.30000000000000004',
    '9007199254740993',
    '9007199254740992.5',
    '123.45600128173828125',
    '2.2250738585072011e-308',
    '5e-324',
    '1.7976931348623157e308',
    '1.00000000000000011102230246251565404236316680908203125',
    '1.00000000000000011102230246251565404236316680908203124',
    '179769313486231580793e289',
    '0.000000000000000000000000123456',
    '-0.0',
    '+7',
    '.5',
    '5.',
    '1,25',
    '8.5e2',
    '1E-7',
    '123456789.123456789',
    '99999999.999999999',
    '0.99999999999999994448884876874217',
    '4503599627370496.5',
    '4503599627370497.5',
  ];
  let seed = 12345;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed / 0x80000000;
  };
  for (let n = 0; n < 20_000; n++) {
    const value = (random() - 0.5) * 10 ** Math.floor(random() * 12);
    const digits = 1 + Math.floor(random() * 20);
    words.push(n % 3 === 0 ? value.toPrecision(digits) : n % 3 === 1 ? String(value) : value.toFixed(digits));
  }
  const text = `ncols ${words.length}\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n${words.join('\n')}`;
  const values = await valuesOf(await asTiff(t, text));
  const wrong = words.filter((word, n) => !Object.is(values[n], Number(word.replace(',', '.'))));
  t.deepEqual(wrong, []);
});

test('the text of a number is the shortest that reads back the same', async (t) => {
  const singles = [
    0,
    -0,
    1,
    -1,
    0.1,
    123.456,
    16777216,
    1e9,
    123456789,
    1e-5,
    9.999999e-6,
    3.4028235e38,
    1e-45,
    -9999,
    0.3,
    1 / 3,
    8589973000,
    65504.06,
    Infinity,
  ].map(Math.fround);
  const doubles = [
    0,
    1,
    0.1,
    0.30000000000000004,
    1e15,
    123456789012345,
    9007199254740991,
    1e21,
    1e-7,
    1 / 3,
    5e-324,
    1.7976931348623157e308,
    -123.456,
    99999.99999,
  ];
  let seed = 99;
  for (let n = 0; n < 30_000; n++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    const value = (seed / 2 ** 31) * 10 ** ((n % 17) - 5);
    singles.push(Math.fround(n % 2 === 0 ? value : Number(value.toFixed(3))));
    doubles.push(n % 2 === 0 ? value : Number(value.toFixed(5)));
  }
  for (const [bits, values] of [
    [32, singles],
    [64, doubles],
  ] as const) {
    const file = tiffFile({ width: values.length, height: 1, values, bits, format: 3, tags: placed(0, 0, 1) });
    const { text } = await converted(t, file, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' });
    const words = text.trimEnd().split('\n').at(-1)!.split(' ');
    const read = (word: string) => (bits === 32 ? Math.fround(Number(word)) : Number(word));
    const digits = (word: string) => word.replace(/e.*/, '').replace(/\D/g, '').replace(/^0+/, '').length;
    t.is(words.length, values.length);
    const wrong = values.filter((value, n) => {
      const word = words[n]!.replace('inf', 'Infinity');
      if (!Object.is(read(word), value)) return true;
      if (!Number.isFinite(value)) return false;
      const shorter = digits(word) - 1;
      return (
        shorter > 0 &&
        word.length > String(Number(value.toPrecision(shorter))).length &&
        read(value.toPrecision(shorter)) === value
      );
    });
    t.deepEqual(wrong, []);
  }
});

test('ASCII grid to GeoTIFF and back gives the same text', async (t) => {
  const text = `${header}NODATA_value -9999\n1.25 -9999 3.125\n1000.001 5 0.007\n`;
  const { bytes } = await converted(t, text, toTiff);
  t.is((await converted(t, bytes, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' })).text, text);
  t.is((await converted(t, text, toAscii)).text, text);
});

test('a grid whose first row is the southernmost is written from north to south', async (t) => {
  const file = tiffFile({
    width: 2,
    height: 2,
    values: [1, 2, 3, 4],
    tags: { 34264: [12, [5, 0, 0, 100, 0, 5, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1]] },
  });
  const { text } = await converted(t, file, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' });
  t.is(text, 'ncols 2\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 5\n3 4\n1 2\n');
});

test('rotated and mirrored grids and oblong cells end with an error that suggests crsTransformation', async (t) => {
  const matrices = [
    [5, 1, 0, 100, 1, -5, 0, 200],
    [-5, 0, 0, 100, 0, -5, 0, 200],
    [5, 0, 0, 100, 0, -6, 0, 200],
  ];
  for (const matrix of matrices) {
    const file = tiffFile({
      width: 2,
      height: 2,
      values: [1, 2, 3, 4],
      tags: { 34264: [12, [...matrix, 0, 0, 0, 0, 0, 0, 0, 1]] },
    });
    const error = await t.throwsAsync(converted(t, file, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' }), {
      instanceOf: ConversionError,
    });
    t.regex(error!.message, /crsTransformation/);
  }
});

test('the receipt lists what an ASCII grid cannot store', async (t) => {
  const file = tiffFile({
    width: 2,
    height: 1,
    samples: 2,
    bits: 32,
    format: 3,
    values: [1, 10, 2, 20],
    tags: { ...placed(0, 1, 1), 34735: [3, [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 25832]] },
  });
  const { receipt, text } = await converted(t, file, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' });
  t.deepEqual(receipt.lost, [
    'An ASCII grid does not store its coordinate system, which is EPSG:25832.',
    "An ASCII grid holds one band; 'Band 2' was left out.",
    'All values are integers. An ASCII grid does not store that their type was Float32.',
  ]);
  t.true(text.endsWith('\n1 2\n'));
});

test('broken grids end with an error and its offset', async (t) => {
  const cases: [string, RegExp, number][] = [
    ['', /The file is empty/, 0],
    ['II*\0\x08\0\0\0', /is not a header key.*It looks like a TIFF file/, 0],
    ['hello world', /'hello' is not a header key/, 0],
    [`${header}1 2 3 4 5`, /declares 3 × 2 values, which take at least 11 bytes\. Only 9 bytes follow/, header.length],
    [`${header}1 2 3 4 5    `, /ends after 5 of 6 values/, header.length + 13],
    [`${header}1 2 3 4 5 6 7`, /but the file has more/, header.length + 12],
    [`${header}1 2 x3 4 5 6`, /'x3' is not a number/, header.length + 4],
    [`${header}1 2 3-4 4 5 6`, /'3-4' is not a number/, header.length + 4],
    [`${header}1 2 3 4 5 ${'9'.repeat(2000)}`, /is not a number/, header.length + 10],
    ['ncols 3\nnrows 2\n1 2 3 4 5 6', /neither dx nor cellsize/, 0],
    ['ncols 3\nnrows 2\ncellsize 1\n1 2 3 4 5 6', /neither xllcorner nor xllcenter/, 0],
    ['ncols -3\nnrows 2\ncellsize 1\n1', /ncols is -3/, 6],
    ['ncols 2.5\nnrows 2\ncellsize 1\n1', /ncols is 2.5/, 6],
    [
      'ncols 1000000\nnrows 1000000\ncellsize 1\nxllcorner 0\nyllcorner 0\n1',
      /which take at least 1999999999999 bytes/,
      63,
    ],
    ['ncols 99999999999\nnrows 1\ncellsize 1\nxllcorner 0\nyllcorner 0\n1', /The maximum is 10000000/, 0],
    [`${header}cellsize 0 1 2 3 4 5 6`, /'cellsize' twice/, header.length],
    ['ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize -1\n1', /cell size is -1/, 49],
  ];
  for (const [text, message, offset] of cases) {
    const error = await t.throwsAsync(converted(t, text, toTiff), { instanceOf: FormatError }, text);
    t.regex(error!.message, message);
    t.is((error as FormatError).offset, offset, text);
  }
});

test('a number across a chunk boundary is read correctly', async (t) => {
  const words = Array.from({ length: 400_000 }, (_, n) => (n * 1.001).toFixed(3));
  const text = `ncols 1000\nnrows 400\nxllcorner 0\nyllcorner 0\ncellsize 1\n${words.join(' ')}`;
  t.true(text.length > 3 << 20);
  const values = await valuesOf(await asTiff(t, text));
  t.true(values.every((value, n) => value === Math.fround(Number(words[n])) || value === Number(words[n])));
  t.is(values.length, words.length);
});

test('onBadRecord skip turns words that are not numbers into cells without data and reports them as bad records', async (t) => {
  const text = 'ncols 3\nnrows 2\nxllcorner 500000\nyllcorner 6000000\ncellsize 10\n1 x2 3\n4 5 ??';
  const readerParameters = { SRID: 25832 };
  const asked = { ...toTiff, readerParameters, onBadRecord: 'skip' } as const;
  const { bytes, receipt, recordsSkipped, badRecords } = await converted(t, text, asked);
  const grid = await gridOf(t, bytes);
  t.deepEqual(grid.bands, [{ type: 'Int32', nodata: -9999 }]);
  t.deepEqual(await valuesOf(grid), [1, -9999, 3, 4, 5, -9999]);
  t.is(recordsSkipped, 2);
  t.regex(
    receipt.lost.join('\n'),
    /2 cells contain words that are not numbers\. They became cells without data \(-9999\)/,
  );
  t.regex(receipt.lost.join('\n'), /2 records were skipped; the first: 'x2' is not a number\. \(at byte 65\)/);
  t.is(bandsOf(receipt.statistics.after)[0]?.empty, 2);
  const features = badRecords!.features as { geometry: { coordinates: number[] }; properties: object }[];
  t.like(features[0]!.properties, { record: 2, x: 500_015, y: 6_000_015 });
  t.true(Math.abs(features[0]!.geometry.coordinates[0]! - 9.0002) < 0.001);
  await t.throwsAsync(converted(t, text, { ...toTiff, readerParameters }), { message: /'x2' is not a number/ });
});

test('onBadRecord skip uses the value that the file declares, and leaves a sound file as it is', async (t) => {
  const head = 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n';
  const asked = { ...toTiff, onBadRecord: 'skip' } as const;
  const declared = await converted(t, `${head}NODATA_value -1\n1 x`, asked);
  t.deepEqual(await valuesOf(await gridOf(t, declared.bytes)), [1, -1]);
  const sound = await converted(t, `${head}1 -9999`, asked);
  t.deepEqual((await gridOf(t, sound.bytes)).bands, [{ type: 'Int32' }]);
  t.deepEqual([sound.receipt.lost, sound.badRecords], [[], undefined]);
  await t.throwsAsync(converted(t, `${head}1 2 x`, asked), { message: /but the file has more/ });
});

test('the receipt reports rounded integers above 2^53', async (t) => {
  const head = 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n';
  const { receipt } = await converted(t, `${head}9007199254740993 1`, toTiff);
  t.deepEqual(receipt.lost, ['Integers above 2^53 were rounded to 53 bits.']);
  t.deepEqual((await converted(t, `${head}9007199254740992 1e300`, toTiff)).receipt.lost, []);
});

test('cells without data are never written as nan but as −9999, or the unused integer nearest to it', async (t) => {
  const tiff = (values: number[], nodata?: string) =>
    tiffFile({
      width: values.length,
      height: 1,
      bits: 32,
      format: 3,
      values,
      tags: nodata === undefined ? placed(0, 1, 1) : { ...placed(0, 1, 1), 42113: [2, nodata] },
    });
  const written = async (values: number[], nodata?: string) => {
    const { text } = await converted(t, tiff(values, nodata), {
      reader: 'GeoTiffReader',
      writer: 'AsciiGridWriter',
    });
    const [, word] = /^NODATA_value (.*)$/m.exec(text) ?? [];
    return [word, text.trimEnd().split('\n').at(-1)];
  };
  const { NaN: none } = Number;
  t.deepEqual(await written([1.5, none, 2]), ['-9999', '1.5 -9999 2'], 'not declared');
  t.deepEqual(await written([1.5, none, 2], 'nan'), ['-9999', '1.5 -9999 2'], 'declared as nan');
  t.deepEqual(await written([none, none], 'nan'), ['-9999', '-9999 -9999']);
  t.deepEqual(await written([1.5, 2], 'nan'), ['-9999', '1.5 2']);
  t.deepEqual(await written([none, -9999, 2], 'nan'), ['-10000', '-10000 -9999 2'], 'a value that is there stays data');
  t.deepEqual(await written([-9999, -10000, none, -9998.5]), ['-9998', '-9999 -10000 -9998 -9998.5'], 'found late');
  t.deepEqual(await written([-9999, none, -9998, -10000, -10001]), ['-9997', '-9999 -9997 -9998 -10000 -10001']);
  t.deepEqual(await written([1, none, -5], '-5'), ['-5', '1 -5 -5'], 'a value that the file declares is kept');
  t.deepEqual(await written([-9999, 2]), [undefined, '-9999 2'], 'nothing is declared where nothing is missing');
});

test('a nodata value that occurs in later rows is replaced, also if rows are written in reverse order', async (t) => {
  const file = tiffFile({
    width: 2,
    height: 3,
    bits: 32,
    format: 3,
    values: [-9999, 2, 3, 4, 5, Number.NaN],
    tags: { 34264: [12, [5, 0, 0, 100, 0, 5, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1]], 42113: [2, 'nan'] },
  });
  const { text, receipt } = await converted(t, file, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' });
  t.true(text.endsWith('NODATA_value -10000\n5 -10000\n3 4\n-9999 2\n'), text);
  t.is(bandsOf(receipt.statistics.before)[0]?.empty, 1);
});

test('a grid whose cells with data hold every possible nodata value ends the conversion', async (t) => {
  const side = 5800;
  const lowest = -(2 ** 24);
  const first = [Number.NaN, -9999, -3.4028234663852886e38];
  async function* rows() {
    for (let firstRow = 0; firstRow < side; firstRow += 100) {
      const samples = new Float32Array(side * 100);
      for (let at = 0; at < samples.length; at++) samples[at] = lowest + firstRow * side + at - first.length;
      if (firstRow === 0) samples.set(first);
      yield { firstRow, rowCount: 100, samples };
    }
  }
  const grid: Grid = {
    kind: 'grid',
    width: side,
    height: side,
    affine: [0, 1, 0, 0, 0, -1],
    bands: [{ type: 'Float32' }],
    rows,
  };
  const sink = { position: 0, async append() {}, async patch() {}, async restart() {} };
  const context = {
    signal: new AbortController().signal,
    scratch: '',
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd() {},
  };
  await t.throwsAsync(findWriter('AsciiGridWriter')!.write(grid, {}, sink, context), {
    instanceOf: ConversionError,
    message: /^The grid has cells without data, and its other cells hold every possible nodata value/,
  });
});

test('a nodata value that single precision rounds stays one in a mesh and in series at points', async (t) => {
  for (const nodata of ['-3.4028235e+38', '-3.40282e+38', '-9999.9']) {
    const text = `${header}NODATA_value ${nodata}\n1.5 2.25 ${nodata}\n4.5 5.5 6.5\n`;
    const { bytes } = await converted(t, text, { reader: 'AsciiGridReader', writer: 'VtuWriter' });
    const { data: mesh } = await read(t, 'mesh', 'VtuReader', bytes);
    t.deepEqual([...(await mesh.values(0, 0))], [1.5, 2.25, Number.NaN, 4.5, 5.5, 6.5], nodata);
    const whole = gridToMesh(await gridOf(t, Buffer.from(text), 'AsciiGridReader'));
    t.is((await whole.values(0, 0)).indexOf(Number(nodata)), 2);
    const Points = [
      { name: 'west', x: 105, y: 215 },
      { name: 'east', x: 125, y: 215 },
    ];
    const series = await converted(t, text, {
      reader: 'AsciiGridReader',
      writer: 'Dfs0Writer',
      writerParameters: { Points },
    });
    t.deepEqual(series.receipt.lost, []);
    const { data } = await read(t, 'series', 'Dfs0Reader', series.bytes);
    for await (const { values } of data.chunks()) {
      t.is(values[0]![0], 1.5);
      const [item, value] = [data.items[1]!, values[1]![0]!];
      t.is(value, item.type === 'Float32' ? Math.fround(item.nodata!) : item.nodata!, nodata);
    }
  }
});
