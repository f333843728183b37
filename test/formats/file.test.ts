import { createHash, randomBytes } from 'node:crypto';
import test from 'ava';
import { ConversionError } from '../../src/files/errors.ts';
import { converted } from './files.ts';

const copy = { reader: 'FileReader', writer: 'FileWriter' };

test('FileReader to FileWriter copies the bytes, and the receipt has size and checksum of both', async (t) => {
  for (const size of [0, 1, 3_000_001]) {
    const input = randomBytes(size);
    const { bytes, receipt, recordsRead, recordsWritten, progress } = await converted(t, input, copy);
    t.true(bytes.equals(input));
    const sha256 = createHash('sha256').update(input).digest('hex');
    t.deepEqual(receipt, {
      input: { name: 'terrain.in', size, sha256 },
      output: { name: 'terrain.out', size, sha256 },
      lost: [],
      remarks: [],
      statistics: {},
    });
    t.deepEqual([recordsRead, recordsWritten], [1, 1]);
    t.is(progress.at(-1), 1);
    t.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
    );
  }
});

test('FileReader to FileWriter ignores transformations, with a line in the log', async (t) => {
  const { text, log } = await converted(t, 'abc', { ...copy, transformations: [{ type: 'whatever' }] });
  t.is(text, 'abc');
  t.deepEqual(log, [
    { level: 'warning', message: 'FileReader to FileWriter copies the bytes; the transformations are ignored.' },
    { level: 'debug', message: 'FileReader; FileWriter.' },
  ]);
});

test('an aborted conversion does not start', async (t) => {
  const error = await t.throwsAsync(converted(t, 'abc', { ...copy, signal: AbortSignal.abort() }));
  t.is(error?.name, 'AbortError');
});

test('an unknown reader or writer ends the conversion with an error', async (t) => {
  const error = await t.throwsAsync(converted(t, 'abc', { ...copy, writer: 'filewriter' }), {
    instanceOf: ConversionError,
  });
  t.is(error?.message, "'filewriter' is not a writer.");
});

test('the debug log has the parameters of reader and writer', async (t) => {
  const grid = 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n7\n';
  const { log } = await converted(t, grid, {
    reader: 'AsciiGridReader',
    writer: 'GeoTiffWriter',
    readerParameters: { srid: 25832 },
  });
  const [first] = log;
  t.is(first?.level, 'debug');
  t.regex(first?.message ?? '', /^AsciiGridReader with SRID "EPSG:25832"; GeoTiffWriter with Compression "Deflate", /);
});
