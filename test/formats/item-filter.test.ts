import test from 'ava';
import { ConversionError } from '../../src/files/errors.ts';
import { asJson, collection, feature, geometryOf, jsonToJson } from './features.ts';
import { converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { placed, tiffFile } from './tiff-file.ts';

const only = (itemFilter: unknown) => [{ type: 'itemFilterTransformation', itemFilter }];
const tiffToTiff = { reader: 'GeoTiffReader', writer: 'GeoTiffWriter' };

/** Three bands with the cells 0 and 1, 10 and 11, 20 and 21; the first and the last band have names. */
const names =
  '<GDALMetadata><Item name="DESCRIPTION" sample="0" role="description">depth</Item><Item name="DESCRIPTION" sample="2" role="description">speed</Item></GDALMetadata>';
const bands = tiffFile({
  width: 2,
  height: 1,
  samples: 3,
  values: [0, 10, 20, 1, 11, 21],
  tags: { ...placed(0, 0, 1), 42112: [2, names] },
});

const points = collection([
  feature(geometryOf('Point', [1, 2]), { name: 'a', depth: 1.5, kind: 7 }),
  feature(null, { name: 'b', depth: null, kind: 8 }),
]);

test('an item filter keeps bands by name or index (from 0), in the order of the filter', async (t) => {
  for (const [filter, wanted] of [
    [
      { itemIndices: [2, 0] },
      [
        [20, 21],
        [0, 1],
      ],
    ],
    [{ names: ['speed'] }, [[20, 21]]],
    [
      [{ names: ['speed'] }, { ITEMINDICES: [1, 2] }],
      [
        [20, 21],
        [10, 11],
      ],
    ],
  ] as const) {
    const { bytes, receipt } = await converted(t, bands, { ...tiffToTiff, transformations: only(filter) });
    const grid = await gridOf(t, bytes);
    const values = await Promise.all(grid.bands.map((_, band) => valuesOf(grid, band)));
    t.deepEqual(values, wanted as never);
    t.false(receipt.lost.some((sentence) => sentence.includes('item')));
    t.deepEqual(grid.bands[0]?.name, 'speed');
  }
});

test('an item filter keeps fields in the order of the filter, and all features with their geometries', async (t) => {
  const { json } = await asJson(t, points, {
    ...jsonToJson,
    transformations: only({ names: ['kind'], itemIndices: [0] }),
  });
  t.deepEqual(
    json.features.map(({ properties }) => Object.entries(properties)),
    [
      [
        ['name', 'a'],
        ['kind', 7],
      ],
      [
        ['name', 'b'],
        ['kind', 8],
      ],
    ],
    'indices before names of one object',
  );
  t.deepEqual(json.features[0]!.geometry?.coordinates, [1, 2]);
});

test('unknown items are reported and ignored; if all are unknown, the error lists the items of the data', async (t) => {
  const { receipt, json } = await asJson(t, points, {
    ...jsonToJson,
    transformations: only({ names: ['depth', 'Depth'], itemIndices: [9] }),
  });
  t.deepEqual(json.features[0]!.properties, { depth: 1.5 });
  t.deepEqual(receipt.lost, [
    "The item filter names items that do not exist: 9, 'Depth'. The data have the items 0 'name', 1 'depth', 2 'kind'.",
  ]);
  const none = { ...tiffToTiff, transformations: only({ names: ['x'] }) };
  await t.throwsAsync(converted(t, bands, none), {
    instanceOf: ConversionError,
    message: "The item filter names 'x', but the data only have the items 0 'depth', 1, 2 'speed'.",
  });
});

test('indices of a second item filter refer to the result of the first', async (t) => {
  const steps = [...only({ itemIndices: [1, 2] }), ...only({ itemIndices: [0] })];
  const { bytes } = await converted(t, bands, { ...tiffToTiff, transformations: steps });
  t.deepEqual(await valuesOf(await gridOf(t, bytes)), [10, 11]);
});
