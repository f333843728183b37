import test from 'ava';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { transformer } from '../../../src/files/geo/crs/transform.ts';
import { layeredMesh } from '../meshes.ts';
import { gridOf, squares, tiled } from './tiling.ts';

test('node items are linear in the triangle and element items constant, at every level', async (t) => {
  const [x0, y0] = [600_000, 6_200_000];
  const tiles = await tiled(
    t,
    squares(20, [x0, y0]),
    { schemeId: 'nodes', tileWidth: 64, tileHeight: 64 },
    { schemeId: 'elements', itemName: 'number', tileWidth: 64, tileHeight: 64 },
    { schemeId: 'xyz', schemeType: 'XYZ' },
  );
  const scheme = tiles.stored.scheme('nodes')!;
  // √(5000 m²) / 2.
  t.true(Math.abs(scheme.resolutions.at(-1)! - 35.355) < 0.001);
  for (const level of scheme.zoomLevels) {
    const pixels = await tiles.pixels('nodes', level);
    const inside = pixels.filter(([x, y]) => x < x0 + 1900 && y > y0 + 100);
    t.true(Math.max(...inside.map(([x, y, value]) => Math.abs(value - (x - x0 + 2 * (y - y0))))) < 1e-3);
  }
  const elements = await tiles.pixels('elements', scheme.zoomLevels.at(-1)!);
  t.true(elements.length > 3000);
  for (const [x, y, value] of elements) {
    const [column, row] = [Math.floor((x - x0) / 100), Math.floor((y - y0) / 100)];
    const upper = y - y0 - 100 * row > x - x0 - 100 * column;
    t.is(value, 2 * (20 * row + column) + (upper ? 1 : 0));
  }
  t.is(tiles.stored.scheme('elements')!.itemName, 'Number');
  t.is(tiles.stored.scheme('xyz')!.colors![0], '#f7fbff');
  const level = tiles.stored.scheme('xyz')!.zoomLevels.at(-1)!;
  const pixels = await tiles.pixels('xyz', level);
  using change = await transformer({ authority: 'EPSG', code: 3857 }, { authority: 'EPSG', code: 25832 });
  const [x, y] = [Float64Array.from(pixels, ([one]) => one), Float64Array.from(pixels, ([, one]) => one)];
  change.forward(x, y);
  const errors = pixels.flatMap(([, , value], n) => {
    const [u, v] = [x[n]! - x0, y[n]! - y0];
    return u > 100 && v > 100 && u < 1900 && v < 1900 ? [Math.abs(value - (u + 2 * v))] : [];
  });
  t.true(errors.length > 500);
  t.true(Math.max(...errors) < 0.1, `${Math.max(...errors)}`);
});

test('each layer of a layered mesh and each step has its own tiles', async (t) => {
  const mesh: Mesh = { ...layeredMesh(), crs: { authority: 'EPSG', code: 25832 } };
  const item = mesh.items.findIndex(({ location }) => location === 'cell');
  const tiles = await tiled(t, mesh, { schemeId: 'a', itemName: mesh.items[item]!.name });
  const { layerIds, timeStamps } = tiles.stored.description;
  t.true(layerIds.length > 1 && timeStamps.length > 1);
  const level = tiles.stored.scheme('a')!.zoomLevels.at(-1)!;
  const { columns } = mesh.layers!;
  for (const layer of layerIds)
    for (let step = 0; step < timeStamps.length; step++) {
      const all = await mesh.values(item, step);
      const expected = Array.from(columns.subarray(0, -1), (first) => all[first + layer]!);
      const drawn = new Set((await tiles.pixels('a', level, step, layer)).map(([, , value]) => value));
      t.deepEqual(
        [...drawn].toSorted((one, other) => one - other),
        expected,
      );
    }
});

test('a mesh across the antimeridian is drawn on both sides', async (t) => {
  // Longitudes 179.99 to 180.01, as one mesh has them.
  const made = squares(20, [0, 0], 4326);
  const nodes = made.nodes.map((value, n) => (n % 3 === 0 ? 179.99 + value * 1e-5 : value * 1e-5));
  const tiles = await tiled(
    t,
    { ...made, nodes },
    {
      schemeId: 'a',
      schemeType: 'XYZ',
      itemName: 'Number',
      aggregationMethod: 'Max',
    },
  );
  const scheme = tiles.stored.scheme('a')!;
  const pixels = await tiles.pixels('a', scheme.zoomLevels.at(-1)!);
  const [west, east] = [pixels.filter(([x]) => x > 0), pixels.filter(([x]) => x < 0)];
  t.true(west.length > 300 && Math.abs(west.length - east.length) < 0.1 * west.length);
  t.true(east.every(([, , value]) => Math.floor(value / 2) % 20 >= 10));
});

test('data without an area or a location end with an error message', async (t) => {
  const { crs: _crs, ...nowhere } = squares(2, [0, 0]);
  await t.throwsAsync(tiled(t, nowhere, { schemeId: 'a' }), { message: /coordinate system. Give SRID/ });
  const mesh = squares(2, [0, 0]);
  await t.throwsAsync(tiled(t, mesh, { schemeId: 'a', itemName: 'Depth' }), {
    message: "Scheme 'a': the data have no item 'Depth'. There are 'Level', 'Number'.",
  });
  const wide = gridOf({ width: 70_000, height: 70_000, affine: [0, 1, 0, 0, 0, -1], code: 25832 }, () => 1);
  await t.throwsAsync(tiled(t, wide, { schemeId: 'a', tileWidth: 64, tileHeight: 64 }), {
    message: /^Scheme 'a' needs up to 1\d{6} tiles; at most 1000000 are drawn\./,
  });
});
