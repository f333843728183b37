import test from 'ava';
import type { FeatureCollection } from '../../src/files/data/feature-collection.ts';
import { table, valuesAt } from '../../src/files/preview.ts';
import { written } from '../formats/written.ts';
import { featuresOf, go } from './made.ts';
import { previewOf, rangedPreviewOf } from './previews.ts';

const rows = Array.from({ length: 3000 }, (_, n) => ({
  place: [10 + (n % 60) / 100, 50 + Math.floor(n / 60) / 100] as const,
  values: [`name ${n}`, n],
}));
const points = featuresOf(
  [
    { name: 'name', type: 'string' },
    { name: 'n', type: 'integer' },
  ],
  rows,
  500,
);

test('features at a point are found by the index of their file, without reading the others', async (t) => {
  const { content } = await written(t, points, 'GISWriter');
  let bytes = 0;
  const preview = await rangedPreviewOf(
    t,
    content,
    { kind: 'store' },
    {
      size: content.length,
      async read(offset, length) {
        bytes += length;
        return Uint8Array.prototype.slice.call(content, offset, offset + length);
      },
    },
  );
  const data = preview.data as FeatureCollection;
  const indexed = await preview.indexed(data);
  const request = { points: [[10.25, 50.12] as const, [10.3, 50.2] as const], tolerance: 100 };
  bytes = 0;
  const found = await valuesAt(data, request, go, indexed);
  t.true(bytes < content.length / 2, `${bytes} of ${content.length}`);
  const scanned = await valuesAt(data, request, go);
  const namesOf = (answer: typeof found) =>
    answer.points.map((one) => ('features' in one ? one.features.map(({ values }) => values[0]) : []));
  t.deepEqual(namesOf(found), [['name 745'], ['name 1230']]);
  t.deepEqual(namesOf(scanned), namesOf(found));
});

test('pages of features begin where the page before ends, by the index', async (t) => {
  const { content } = await written(t, points, 'GeoJsonWriter');
  const preview = await previewOf(t, content, { name: 'points.geojson' });
  const data = preview.data as FeatureCollection;
  const indexed = await preview.indexed(data);
  const names: unknown[] = [];
  const ids: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await table(data, { limit: 700, ...(cursor === undefined ? {} : { cursor }) }, go, indexed);
    t.deepEqual(
      page.columns.map(({ name }) => name),
      ['id', 'name', 'n', 'geometry'],
    );
    names.push(...page.rows.map(([, name]) => name));
    ids.push(...page.rows.map(([id]) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  t.deepEqual(names.toSorted(), rows.map(({ values }) => values[0]).toSorted());
  t.is(new Set(ids).size, 3000);
});

test('reading that fails once, as when a job is cancelled, does not spoil the questions after it', async (t) => {
  const { content } = await written(t, points, 'GISWriter');
  let fails = false;
  const source = {
    size: content.length,
    async read(offset: number, length: number) {
      if (fails) throw new Error('cancelled');
      return Uint8Array.prototype.slice.call(content, offset, offset + length);
    },
  };
  const preview = await rangedPreviewOf(t, content, { kind: 'store' }, source);
  fails = true;
  await t.throwsAsync(preview.describe(), { message: 'cancelled' });
  fails = false;
  t.is((await preview.describe()).cells, 3000);
});
