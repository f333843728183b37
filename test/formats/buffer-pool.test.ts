// Own thread: the pool of a shared one may be full of the buffers of other files.
import test from 'ava';
import { markOwned, pooledBytes, pooledSamples, releaseBuffer } from '../../src/files/data/buffer-pool.ts';
import { converted } from './files.ts';

const [width, height] = [1100, 700];
/** All values differ, so that concurrent use of one buffer is detected. */
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

test('concurrent conversions of grids with many blocks keep their values, with every compression', async (t) => {
  await Promise.all(
    options.map(async (writerParameters, n) => {
      // integers use another predictor than floats
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

test('concurrent reprojections give the same results as one after the other', async (t) => {
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

test('the pool hands out a buffer once, and takes back whole buffers only', (t) => {
  const first = pooledBytes(40_000);
  releaseBuffer(first);
  releaseBuffer(first);
  const second = pooledSamples('Float32', 9000);
  t.is(second.buffer, first.buffer);
  t.not(pooledBytes(40_000).buffer, first.buffer, 'released twice, handed out twice');

  // other arrays may use the rest of a larger buffer
  const large = new Uint8Array(50_000);
  releaseBuffer(large.subarray(0, 40_000));
  t.not(pooledBytes(40_000).buffer, large.buffer);
  releaseBuffer(large.subarray(1));
  t.not(pooledBytes(40_000).buffer, large.buffer);
  markOwned(large.subarray(0, 40_000));
  releaseBuffer(large.subarray(0, 40_000));
  t.is(pooledBytes(40_000).buffer, large.buffer);
});
