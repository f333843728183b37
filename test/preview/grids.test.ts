import test from 'ava';
import { gridOf, tiled } from '../formats/tiles/tiling.ts';
import { written } from '../formats/written.ts';
import { draw, middleOf, previewOf, rangedPreviewOf, tileAt, values } from './previews.ts';

const hills = gridOf(
  {
    width: 300,
    height: 260,
    affine: [500_000, 20, 0, 6_000_000, 0, -20],
    code: 25832,
    type: 'Float32',
    steps: 3,
    nodata: -9999,
  },
  (x, y, step) =>
    x + y < 6_496_000 + 300 * step ? -9999 : Math.sin(x / 400) * Math.cos(y / 300) * 50 + 100 * (step + 1),
);

for (const kind of ['file', 'store'] as const)
  test(`tiles of a Zarr ${kind} are those of the writer of tiles, at the level of the cells and two above`, async (t) => {
    const { content } = await written(t, hills, 'MDWriter');
    const preview = await rangedPreviewOf(t, content, { kind });
    const description = await preview.describe();
    t.like(description, {
      kind: 'grid',
      srid: 'EPSG:25832',
      cells: 78_000,
      steps: { count: 3, first: '2024-05-02T10:00:00', last: '2024-05-02T22:00:00', spacing: 21_600, best: 0 },
      layers: { count: 1 },
      tiles: { raster: true, values: true, vector: true },
      deepest: 15,
    });
    const levels = [11, 12, 13];
    const scheme = { schemeId: 'a', schemeType: 'XYZ', outputType: 'RawData', zoomLevels: levels };
    const tiles = await tiled(t, hills, scheme);
    for (const z of levels) {
      const tile = tileAt(z, ...middleOf(description));
      for (const step of [0, 2]) {
        const expected = await tiles.values('a', [z, tile.x, tile.y], step);
        const made = await values(preview, { ...tile, step });
        t.is(made!.length, 256 * 256);
        t.true(made!.some((value) => !Number.isNaN(value)));
        t.deepEqual(
          Array.from(made!, (value) => Math.round(value * 1000)),
          Array.from(expected!, (value) => Math.round(value * 1000)),
        );
      }
    }
  });

test('a tile of 512 pixels is the four tiles of the next level', async (t) => {
  const preview = await previewOf(t, (await written(t, hills, 'GeoTiffWriter')).content);
  const { x, y } = tileAt(11, ...middleOf(await preview.describe()));
  const large = (await values(preview, { z: 11, x, y, scale: 2 }))!;
  t.is(large.length, 512 * 512);
  for (const [right, down] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    const small = await values(preview, { z: 12, x: 2 * x + right, y: 2 * y + down });
    const part = Array.from({ length: 256 * 256 }, (_, n) => {
      const [column, row] = [256 * right + (n % 256), 256 * down + Math.floor(n / 256)];
      return large[row * 512 + column]!;
    });
    t.deepEqual(part, small === undefined ? part.map(() => Number.NaN) : Array.from(small));
  }
});

test('a tile beyond the data is empty', async (t) => {
  const preview = await previewOf(t, (await written(t, hills, 'GeoTiffWriter')).content);
  t.is(await draw(preview, { z: 3, x: 0, y: 0 }), undefined);
});

test('an item, a step and a layer that are not there are refused', async (t) => {
  const preview = await previewOf(t, (await written(t, hills, 'MDWriter')).content);
  const tile = tileAt(11, ...middleOf(await preview.describe()));
  await t.throwsAsync(draw(preview, { ...tile, item: 'depth' }), { message: /no item 'depth'/ });
  await t.throwsAsync(draw(preview, { ...tile, step: 3 }), { message: /no step 3/ });
  await t.throwsAsync(draw(preview, { ...tile, layer: 1 }), { message: /no layer 1/ });
  const colours = { colors: ['red'], min: 0, max: 1, log: false };
  await t.throwsAsync(draw(preview, { ...tile, scheme: colours }), { message: /'red' is not a colour/ });
});

test('a tile that is not needed any more is not drawn', async (t) => {
  const preview = await rangedPreviewOf(t, (await written(t, hills, 'GeoTiffWriter')).content);
  const description = await preview.describe();
  const { scheme } = description;
  const tile = { ...tileAt(11, ...middleOf(description)), item: '0', step: 0, layer: 0, scheme } as const;
  const gone = () => {
    throw new Error('The client is gone.');
  };
  await t.throwsAsync(preview.drawTile({ ...tile, format: 'png', scale: 1 }, gone), { message: 'The client is gone.' });
  t.true((await draw(preview, tile)) !== undefined);
});

test('the best step has most data, and the last of equal ones', async (t) => {
  const filled = (counts: readonly number[]) =>
    gridOf(
      { width: 10, height: 10, affine: [9, 0.1, 0, 55, 0, -0.1], code: 4326, steps: counts.length },
      (x, y, step) =>
        Math.round((x - 9) * 10 - 0.5) + 10 * Math.round((55 - y) * 10 - 0.5) < counts[step]! ? 1 : Number.NaN,
    );
  const best = async (counts: readonly number[]) => {
    const preview = await previewOf(t, (await written(t, filled(counts), 'MDWriter')).content);
    return (await preview.describe()).steps.best;
  };
  t.is(await best([0, 50, 60, 60, 20]), 3);
  t.is(await best([100, 20, 20]), 0);
  t.is(await best([0, 0, 0]), 2);
  // four that are equal, spread over all steps, are enough
  t.is(await best([50, 50, 50, 60, 50, 50, 50, 50, 50]), 8);
});

test('steps that are not evenly spaced tell their times', async (t) => {
  const time = { spacing: 'nonEquidistant', unit: 'hour', start: Date.UTC(2024, 0, 1) } as const;
  const uneven = { ...hills, time: { ...time, offsets: Float64Array.of(0, 1, 6) } };
  const { steps } = await (await previewOf(t, (await written(t, uneven, 'MDWriter')).content)).describe();
  t.is(steps.spacing, undefined);
  t.deepEqual(steps.times, ['2024-01-01T00:00:00', '2024-01-01T01:00:00', '2024-01-01T06:00:00']);
});

test('a raster without a place has a description, and no tiles with a reason', async (t) => {
  const { crs: _, ...bare } = hills;
  const preview = await previewOf(t, (await written(t, { ...bare, located: false }, 'GeoTiffWriter')).content);
  const { tiles, reason, items } = await preview.describe();
  t.deepEqual(tiles, { raster: false, values: false, vector: false });
  t.is(reason, 'The raster is not georeferenced, so it has no place on a map.');
  t.true(items.length > 0);
  await t.throwsAsync(draw(preview, { z: 0, x: 0, y: 0 }), { message: reason });
});

test('a turned grid has its values at their places', async (t) => {
  // Turned by 30 degrees; a plane has the same value however it is turned.
  const [u, v] = [20 * Math.cos(Math.PI / 6), 20 * Math.sin(Math.PI / 6)];
  const turned = gridOf(
    { width: 300, height: 200, affine: [500_000, u, v, 6_000_000, v, -u], code: 3857, type: 'Float32' },
    (x, y) => (x - 500_000) / 10 + (y - 6_000_000) / 5,
  );
  const preview = await previewOf(t, (await written(t, turned, 'GeoTiffWriter')).content);
  const description = await preview.describe();
  for (const z of [9, 11, 13, description.deepest]) {
    const tile = tileAt(z, ...middleOf(description));
    const made = (await values(preview, tile))!;
    const size = 40_075_016.685578488 / (256 * 2 ** z);
    let compared = 0;
    for (let n = 0; n < made.length; n++) {
      const x = (256 * tile.x + (n % 256) + 0.5) * size - 20_037_508.342789244;
      const y = 20_037_508.342789244 - (256 * tile.y + Math.floor(n / 256) + 0.5) * size;
      // Some cells inside of the grid.
      const [east, north] = [x - 500_000, y - 6_000_000];
      const [column, row] = [(east * u + north * v) / 400, (east * v - north * u) / 400];
      const margin = 2 + (2 * size) / 20;
      if (column < margin || row < margin || column > 300 - margin || row > 200 - margin) continue;
      compared++;
      if (Math.abs(made[n]! - (east / 10 + north / 5)) > 0.1 + size / 400) t.fail(`${z} ${n}: ${made[n]}`);
    }
    t.true(compared > 20, `${compared} at level ${z}`);
  }
});

test('data across the antimeridian are drawn on both sides, and their box begins in the east', async (t) => {
  const wide = gridOf(
    { width: 40, height: 20, affine: [178, 0.1, 0, 11, 0, -0.1], code: 4326, type: 'Float32' },
    (x) => x,
  );
  const preview = await previewOf(t, (await written(t, wide, 'GeoTiffWriter')).content);
  const { bbox } = await preview.describe();
  t.deepEqual(
    bbox!.map((one) => Math.round(one)),
    [178, 9, -178, 11],
  );
  const last = 2 ** 6 - 1;
  const [east, west] = [await values(preview, { z: 6, x: last, y: 30 }), await values(preview, { z: 6, x: 0, y: 30 })];
  const mean = (all: Float32Array | undefined) => {
    const known = [...all!].filter((value) => !Number.isNaN(value));
    return Math.round(known.reduce((sum, value) => sum + value, 0) / known.length);
  };
  t.deepEqual([mean(east), mean(west)], [179, 181]);
});

test('fields of many items, units and pairs of components are told', async (t) => {
  const one = gridOf(
    { width: 8, height: 8, affine: [9, 0.1, 0, 55, 0, -0.1], code: 4326, type: 'Float32' },
    (x, y) => x * y,
  );
  const names = ['Water level', 'U velocity', 'V velocity', 'Wind x', 'Wind y', 'x', 'y'];
  const bands = names.map((name) => ({ ...one.bands[0]!, name, unit: name === 'Water level' ? 'm' : 'm/s' }));
  const preview = await previewOf(t, (await written(t, { ...one, bands }, 'MDWriter')).content);
  const { items, scheme } = await preview.describe();
  t.deepEqual(
    items.map(({ id, name, unit, vector }) => [id, name, unit, vector]),
    names.map((name, n) => [String(n), name, bands[n]!.unit, { 1: '2', 3: '4' }[n]]),
  );
  t.like(scheme, { item: '0', log: false });
  t.true(scheme.min > items[0]!.min! && scheme.max < items[0]!.max!);
});
