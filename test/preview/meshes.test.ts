import test from 'ava';
import type { Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { layeredMesh } from '../formats/meshes.ts';
import { squares, tiled } from '../formats/tiles/tiling.ts';
import { written } from '../formats/written.ts';
import { middleOf, previewOf, rangedPreviewOf, tileAt, values } from './previews.ts';

test('tiles of values at nodes and in elements are those of the writer of tiles', async (t) => {
  const mesh = squares(20, [500_000, 6_000_000]);
  const preview = await rangedPreviewOf(t, (await written(t, mesh, 'MDWriter')).content, { kind: 'store' });
  const description = await preview.describe();
  t.like(description, {
    kind: 'mesh',
    cells: 800,
    items: [
      { id: '0', name: 'Level', unit: 'm', min: 0, max: 6000 },
      { id: '1', name: 'Number', min: 0, max: 799 },
    ],
    tiles: { raster: true, values: true, vector: true },
  });
  const levels = [11, 12, 13];
  for (const [item, itemName] of ['Level', 'Number'].entries()) {
    const tiles = await tiled(t, mesh, { schemeId: 'a', schemeType: 'XYZ', itemName, zoomLevels: levels });
    for (const z of levels) {
      const tile = tileAt(z, ...middleOf(description));
      const made = await values(preview, { ...tile, item: String(item) });
      t.deepEqual([...made!], [...(await tiles.values('a', [z, tile.x, tile.y]))!]);
      t.deepEqual(await values(preview, { ...tile, item: itemName }), made);
    }
  }
});

test('each layer and step of a layered mesh has its own tiles', async (t) => {
  const mesh: Mesh = { ...layeredMesh(), crs: { authority: 'EPSG', code: 25832 } };
  const preview = await previewOf(t, (await written(t, mesh, 'DfsuWriter')).content);
  const description = await preview.describe();
  const { columns } = mesh.layers!;
  const count = columns[1]! - columns[0]!;
  t.deepEqual(description.layers, { count, ids: Array.from({ length: count }, (_, n) => n) });
  const item = mesh.items.findIndex(({ location }) => location === 'cell');
  const steps = description.steps.count;
  t.true(steps > 1);
  const tile = tileAt(description.deepest, ...middleOf(description));
  for (let layer = 0; layer < count; layer++)
    for (let step = 0; step < steps; step++) {
      const all = await mesh.values(item, step);
      const expected = new Set(Array.from(columns.subarray(0, -1), (first) => all[first + layer]!));
      const name = mesh.items[item]!.name!;
      const drawn = new Set(await values(preview, { ...tile, item: name, step, layer }));
      drawn.delete(Number.NaN);
      t.true(drawn.size > 0 && [...drawn].every((value) => expected.has(value)), `${layer} ${step}`);
    }
});

/** Cells in rings around a place, whose value is the number of the ring. */
function rings(): MultiArray {
  const [around, out] = [48, 10];
  const nodes = (of: (angle: number) => number) =>
    Float64Array.from({ length: (around + 1) * (out + 1) }, (_, n) => {
      const radius = 100 * (1 + Math.floor(n / (around + 1)));
      return of((2 * Math.PI * (n % (around + 1))) / around) * radius;
    });
  return {
    kind: 'array',
    crs: { authority: 'EPSG', code: 25832 },
    axes: [
      { name: 'out', values: Float64Array.from({ length: out }, (_, n) => n) },
      { name: 'around', values: Float64Array.from({ length: around }, (_, n) => n) },
    ],
    placement: {
      by: 'nodes',
      x: 1,
      y: 0,
      nodeX: nodes(Math.cos).map((x) => 500_000 + x),
      nodeY: nodes(Math.sin).map((y) => 6_000_000 + y),
    },
    items: [{ name: 'ring', type: 'Float32', axes: [0, 1], overTime: false }],
    read: async (_item, _step, [row], [rows, columns]) =>
      Float32Array.from({ length: rows! * columns! }, (_, n) => row! + Math.floor(n / columns!)),
  };
}

test('curvilinear cells are drawn as elements', async (t) => {
  const preview = await previewOf(t, (await written(t, rings(), 'MDWriter')).content);
  const description = await preview.describe();
  t.like(description, { kind: 'mesh', cells: 480, items: [{ name: 'ring', min: 0, max: 9 }] });
  const [east, north] = middleOf(description);
  const tile = tileAt(15, east, north);
  const made = await values(preview, tile);
  const found = new Set(made);
  t.true(
    found.has(0) && found.has(Number.NaN) && [...found].every((one) => Number.isNaN(one) || Number.isInteger(one)),
  );
});

test('an array without cells on a map has tables only', async (t) => {
  const { placement: _, crs: __, ...bare } = rings();
  const preview = await previewOf(t, (await written(t, bare, 'MDWriter')).content);
  const { kind, tiles, reason, items } = await preview.describe();
  t.is(kind, 'arrays');
  t.deepEqual(tiles, { raster: false, values: false, vector: false });
  t.is(reason, 'The values have no cells with a place on a map.');
  t.like(items, [{ id: '0', name: 'ring', min: 0, max: 9 }]);
});

test('layers of different thickness of an array are layers of tiles', async (t) => {
  const array: MultiArray = {
    kind: 'array',
    crs: { authority: 'EPSG', code: 25832 },
    axes: [
      { name: 'z', values: Float64Array.of(-20, -7, -1), edges: Float64Array.of(-30, -12, -2, 0) },
      { name: 'y', values: Float64Array.from({ length: 8 }, (_, n) => n) },
      { name: 'x', values: Float64Array.from({ length: 8 }, (_, n) => n) },
    ],
    placement: { by: 'affine', x: 2, y: 1, affine: [500_000, 10, 0, 6_000_000, 0, -10] },
    items: [
      { name: 'salt', type: 'Float32', axes: [0, 1, 2], overTime: false },
      { name: 'bed', type: 'Float32', axes: [1, 2], overTime: false },
    ],
    read: async (item, _step, start, shape) => {
      const plane = shape.at(-1)! * shape.at(-2)!;
      const count = shape.reduce((product, length) => product * length, 1);
      return Float32Array.from({ length: count }, (_, n) => (item === 0 ? start[0]! + Math.floor(n / plane) : -30));
    },
  };
  const preview = await previewOf(t, (await written(t, array, 'MDWriter')).content);
  const description = await preview.describe();
  t.is(description.kind, 'grid');
  t.deepEqual(description.layers.count, 3);
  const tile = tileAt(description.deepest, ...middleOf(description));
  for (let layer = 0; layer < 3; layer++) {
    t.is(
      (await values(preview, { ...tile, item: 'salt', layer }))!.find((one) => !Number.isNaN(one)),
      layer,
    );
    t.is(
      (await values(preview, { ...tile, item: 'bed', layer }))!.find((one) => !Number.isNaN(one)),
      -30,
    );
  }
});
