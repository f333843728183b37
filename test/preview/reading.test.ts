import test from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import { NEEDS_STORE } from '../../src/files/errors.ts';
import { readingOf } from '../../src/files/preview.ts';
import { accessOf } from '../../src/preview/content.ts';
import { memory } from '../formats/read.ts';
import { written } from '../formats/written.ts';
import { featuresOf } from './made.ts';
import { previewOf } from './previews.ts';

const grid = (width: number, bands = 1): Grid => ({
  kind: 'grid',
  width,
  height: 600,
  affine: [500_000, 10, 0, 6_000_000, 0, -10],
  crs: { authority: 'EPSG', code: 25832 },
  bands: Array.from({ length: bands }, (_, n) => ({ name: `Band ${n}`, type: 'Float32' })),
  async *rows() {
    yield { firstRow: 0, rowCount: 600, samples: new Float32Array(600 * width) };
  },
});
const reading = async (content: Uint8Array, reader?: string) =>
  readingOf(memory(content), { ...(reader && { reader }) });

test('parts of a GeoTIFF are read if few blocks hold them, not of long strips', async (t) => {
  const parts = async (parameters: Record<string, unknown>, of = grid(6000)) =>
    (await reading((await written(t, of, 'GeoTiffWriter', parameters)).content)).parts;
  t.false(await parts({ Tiled: false }));
  t.true(await parts({ Tiled: true }));
  t.true(await parts({ Cog: true }));
  t.true(await parts({ Tiled: false }, grid(500)));
});

test('parts of features are read by an index, and texts take long to read', async (t) => {
  const rows = Array.from({ length: 30 }, (_, n) => ({ place: [10 + n / 100, 50] as const, values: [n] }));
  const points = featuresOf([{ name: 'n', type: 'integer' }], rows);
  const of = async (writer: string, reader?: string) => {
    const { content } = await written(t, points, writer);
    return { ...(await reading(content, reader)), size: content.length };
  };
  t.deepEqual((await of('GISWriter')).parts, true);
  const geoJson = await of('GeoJsonWriter');
  t.is(geoJson.parts, false);
  t.true(geoJson.seconds! > geoJson.size / 50e6);
  // the reader that is named, not that of the content
  t.true((await of('CsvWriter', 'CsvReader')).seconds! > 0);
  await t.throwsAsync(reading(Buffer.from('no file of any format')), { message: /content is not known/ });

  const { content } = await written(t, points, 'GeoJsonWriter');
  const few = await previewOf(t, content, { mostIndexed: 30 });
  t.is((await few.describe()).cells, 30);
  const many = await previewOf(t, content, { mostIndexed: 29 });
  await t.throwsAsync(many.describe(), { message: 'There are more than 29 features.', code: NEEDS_STORE });
});

test('what is read in a second is drawn as it is, parts of others by range, and of the rest a store', (t) => {
  const [small, large] = [{ storageSize: 10e6 }, { storageSize: 90e6 }];
  t.is(accessOf(small, { parts: false }, 50e6), 'whole');
  t.is(accessOf(small, { parts: false, seconds: 1.1 }, 50e6), 'store');
  t.is(accessOf(small, { parts: true, seconds: 0.9 }, 5e6), 'ranges');
  t.is(accessOf(large, { parts: true }, 50e6), 'ranges');
  t.is(accessOf(large, { parts: false, seconds: 0.5 }, 50e6), 'store');
});

test('data without a coordinate system have that of the input, others keep their own', async (t) => {
  const text = 'ncols 2\nnrows 2\nxllcorner 500000\nyllcorner 6000000\ncellsize 10\n1 2\n3 4\n';
  t.is((await (await previewOf(t, text, { srid: 25832 })).describe()).srid, 'EPSG:25832');
  const { content } = await written(t, grid(20), 'GeoTiffWriter');
  t.is((await (await previewOf(t, content, { srid: 4326 })).describe()).srid, 'EPSG:25832');
});
