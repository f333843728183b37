import test from 'ava';
import { giveBack, ownWhole, spareBytesOf, spareSamples } from '../../src/data/spare-memory.ts';
import { converted } from './files.ts';

const [width, height] = [1100, 700];
/** Each value stands once, so that memory in the hands of two shows. */
const terrain = (offset: number) => {
  const rows = Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => ((row * width + column) * 0.25 + offset).toString()).join(' '),
  );
  const head = [`ncols ${width}`, `nrows ${height}`, 'xllcorner 500000', 'yllcorner 6000000', 'cellsize 10'];
  return `${[...head, ...rows].join('\n')}\n`;
};

const options: Record<string, unknown>[] = [
  {},
  { Cog: true },
  { Compression: 'None' },
  { Compression: 'Zstd', Tiled: true },
  { Compression: 'Lzw' },
  { Predictor: false },
  { Tiled: true, Predictor: false, Compression: 'None' },
];

test('grids of many blocks that are converted at the same time keep their values, however blocks are packed', async (t) => {
  await Promise.all(
    options.map(async (writerParameters, n) => {
      // whole numbers take the other predictor
      const text = n % 2 === 0 ? terrain(0.25 + n) : terrain(n).replace(/\.\d+/g, '');
      const tiff = await converted(t, text, { reader: 'AsciiGridReader', writer: 'GeoTiffWriter', writerParameters });
      const back = await converted(t, tiff.bytes, { reader: 'GeoTiffReader', writer: 'AsciiGridWriter' });
      const name = JSON.stringify(writerParameters);
      t.true(back.text === text, name);
      const again = await converted(t, tiff.bytes, {
        reader: 'GeoTiffReader',
        writer: 'GeoTiffWriter',
        writerParameters,
      });
      t.true(again.bytes.equals(tiff.bytes), `${name} again`);
    }),
  );
});

test('reprojections at the same time give what each gives alone', async (t) => {
  const asked = {
    reader: 'AsciiGridReader',
    writer: 'GeoTiffWriter',
    readerParameters: { SRID: 25832 },
    transformations: [{ type: 'CrsTransformation', outputSrid: '3857' }],
  };
  const alone = [await converted(t, terrain(1), asked), await converted(t, terrain(7), asked)];
  const together = await Promise.all([converted(t, terrain(1), asked), converted(t, terrain(7), asked)]);
  t.false(alone[0]!.bytes.equals(alone[1]!.bytes));
  for (const [n, one] of alone.entries()) t.true(together[n]!.bytes.equals(one.bytes));
});

test('memory is lent to one at a time, and only memory that its giver has whole', (t) => {
  const first = spareBytesOf(40_000);
  giveBack(first);
  giveBack(first);
  const second = spareSamples('Float32', 9000);
  t.is(second.buffer, first.buffer);
  t.not(spareBytesOf(40_000).buffer, first.buffer, 'given back twice, it was lent twice');

  // the rest of a larger buffer may belong to somebody else
  const large = new Uint8Array(50_000);
  giveBack(large.subarray(0, 40_000));
  t.not(spareBytesOf(40_000).buffer, large.buffer);
  giveBack(large.subarray(1));
  t.not(spareBytesOf(40_000).buffer, large.buffer);
  ownWhole(large.subarray(0, 40_000));
  giveBack(large.subarray(0, 40_000));
  t.is(spareBytesOf(40_000).buffer, large.buffer);
});
