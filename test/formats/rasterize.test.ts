import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { FeatureCollection, Field } from '../../src/files/data/feature-collection.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { ConversionError } from '../../src/files/errors.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { parseGeometry } from '../../src/files/geo/vector/wkt-geometry.ts';
import { folderOf, passed } from './transformed.ts';

interface Sketch {
  type?: Field['type'];
  srid?: number;
}

/** Features of one field, `v`. */
const features = (
  rows: readonly (readonly [wkt: string, value: unknown])[],
  { type = 'integer', srid }: Sketch = {},
): FeatureCollection => ({
  kind: 'features',
  ...(srid === undefined ? {} : { crs: parseSrid(srid) }),
  fields: [{ name: 'v', type }],
  hasZ: false,
  hasM: false,
  async *chunks() {
    for (const [wkt, value] of rows) yield [{ geometry: parseGeometry(wkt).geometry, values: [value] }];
  },
});

async function burnt(
  t: ExecutionContext,
  data: FeatureCollection,
  rasterize: object,
  sideInputs?: Parameters<typeof passed>[4],
) {
  let made: Grid | undefined;
  const rows: string[] = [];
  const step = { type: 'rasterizeTransformation', rasterize };
  const look = async (grid: FeatureCollection | Grid) => {
    if (grid.kind !== 'grid') throw new Error(grid.kind);
    made = grid;
    for await (const { samples, rowCount } of grid.rows({ band: 0, step: 0, layer: 0 }))
      for (let row = 0; row < rowCount; row++)
        rows.push(
          Array.from(samples.subarray(row * grid.width, (row + 1) * grid.width), (value) =>
            value === grid.bands[0]!.nodata ? '.' : String(value),
          ).join(' '),
        );
  };
  const { recordsRead, lost } = await passed<FeatureCollection | Grid>(t, data, [step], look, sideInputs);
  return { grid: made!, rows, recordsRead, lost };
}

const square = (west: number, south: number, east: number, north: number) =>
  `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
const field = { field: 'v', cellSize: 1 };

test('a polygon fills the cells whose centre lies inside', async (t) => {
  const ring = 'POLYGON ((0 0, 5 0, 5 5, 0 5, 0 0), (1.2 1.2, 3.8 1.2, 3.8 3.8, 1.2 3.8, 1.2 1.2))';
  const { rows, grid, recordsRead } = await burnt(t, features([[ring, 7]]), field);
  t.deepEqual(rows, ['7 7 7 7 7', '7 . . . 7', '7 . . . 7', '7 . . . 7', '7 7 7 7 7']);
  t.deepEqual([...grid.affine], [0, 1, 0, 5, 0, -1]);
  t.deepEqual(grid.bands, [{ name: 'v', type: 'Int32', nodata: -9999 }]);
  t.is(recordsRead, 1, 'the extent takes a pass of its own');
  const small = await burnt(t, features([[square(0.2, 0.2, 1.4, 1.4), 1]]), { ...field, extent: [0, 0, 3, 2] });
  t.deepEqual(small.rows, ['. . .', '1 . .']);
});

test('allTouched fills all cells that a polygon touches, but not along its outline', async (t) => {
  const extent = [0, 0, 4, 3];
  const touched = async (wkt: string) =>
    (await burnt(t, features([[wkt, 1]]), { ...field, extent, allTouched: true })).rows;
  t.deepEqual(await touched(square(0.9, 0.9, 2.1, 1.1)), ['. . . .', '1 1 1 .', '1 1 1 .']);
  t.deepEqual(await touched(square(1, 1, 3, 2)), ['. . . .', '. 1 1 .', '. . . .']);
});

test('a line passes from cell to cell; with allTouched it fills each cell that it passes', async (t) => {
  const extent = [0, 0, 5, 3];
  const line = features([['LINESTRING (0.5 2.5, 4.5 0.5)', 1]]);
  t.deepEqual((await burnt(t, line, { ...field, extent })).rows, ['1 . . . .', '. 1 1 . .', '. . . 1 1']);
  const touched = await burnt(t, features([['LINESTRING (0.5 2.6, 4.5 0.6)', 1]]), {
    ...field,
    extent,
    allTouched: true,
  });
  t.deepEqual(touched.rows, ['1 1 . . .', '. 1 1 1 .', '. . . 1 1']);
});

test('a line may lead far beyond the raster', async (t) => {
  const cells = { cellSize: 1, extent: [0, 0, 4, 3], value: 1 };
  for (const far of [1e7, 1e15, 1e300])
    for (const [wkt, expected] of [
      [`LINESTRING (-${far} 1.5, ${far} 1.5)`, ['. . . .', '1 1 1 1', '. . . .']],
      [`LINESTRING (${far} 1.5, 2.5 1.5)`, ['. . . .', '. . 1 1', '. . . .']],
      [`LINESTRING (1.5 ${far}, 1.5 -${far})`, ['. 1 . .', '. 1 . .', '. 1 . .']],
      [`LINESTRING (1.5 1.5, 1.5 ${far})`, ['. 1 . .', '. 1 . .', '. . . .']],
    ] as const) {
      t.deepEqual((await burnt(t, features([[wkt, 1]]), cells)).rows, expected, wkt);
      t.deepEqual((await burnt(t, features([[wkt, 1]]), { ...cells, allTouched: true })).rows, expected, wkt);
    }
});

test('points fill their cells, also those on the outer border of the extent', async (t) => {
  const points = features([
    ['POINT (0 0)', 1],
    ['MULTIPOINT (2 2, 1.5 0.5)', 2],
    ['POINT (9 9)', 3],
  ]);
  t.deepEqual((await burnt(t, points, { ...field, extent: [0, 0, 2, 2] })).rows, ['. 2', '1 2']);
  const own = features([
    ['POINT (0 0)', 1],
    ['POINT (2 2)', 2],
  ]);
  t.deepEqual((await burnt(t, own, field)).rows, ['. 2', '1 .']);
  t.deepEqual((await burnt(t, features([['POINT (3 4)', 5]]), field)).rows, ['5']);
});

test('the later feature wins, or values are summed, or the least or greatest stays', async (t) => {
  const data = () =>
    features([
      [square(0, 0, 3, 1), 4],
      [square(1, 0, 4, 1), 9],
      [square(2, 0, 4, 1), 2],
    ]);
  const row = async (method?: string) => (await burnt(t, data(), { ...field, ...(method && { method }) })).rows;
  t.deepEqual(await row(), ['4 9 2 2']);
  t.deepEqual(await row('Sum'), ['4 13 15 11']);
  t.deepEqual(await row('min'), ['4 4 2 2']);
  t.deepEqual(await row('max'), ['4 9 9 9']);
});

test('a feature counts once in a cell, even where its parts overlap', async (t) => {
  const crossing = 'MULTILINESTRING ((0.5 1.5, 2.5 1.5), (1.5 0.5, 1.5 2.5))';
  const { rows } = await burnt(t, features([[crossing, 3]]), { ...field, extent: [0, 0, 3, 3], method: 'sum' });
  t.deepEqual(rows, ['. 3 .', '3 3 3', '. 3 .']);
});

test('features without a number are left out; a value burns all', async (t) => {
  const data = features([
    [square(0, 0, 1, 1), null],
    [square(1, 0, 2, 1), 6],
  ]);
  const extent = [0, 0, 2, 1];
  t.deepEqual((await burnt(t, data, { ...field, extent })).rows, ['. 6']);
  const { rows, grid } = await burnt(t, data, { cellSize: 1, extent });
  t.deepEqual(rows, ['1 1']);
  t.is(grid.bands[0]!.name, 'value');
  t.deepEqual((await burnt(t, data, { cellSize: [2, 1], extent, value: 8 })).rows, ['8']);
});

test('the type holds all values, and no value is the one of cells without a feature', async (t) => {
  const band = async (values: number[], more: object = {}) =>
    (
      await burnt(
        t,
        features(
          values.map((value, n) => [square(n, 0, n + 1, 1), value]),
          { type: 'real' },
        ),
        {
          ...field,
          ...more,
        },
      )
    ).grid.bands[0]!;
  t.like(await band([1.5, 2]), { type: 'Float32', nodata: Math.fround(-1e-35) });
  t.like(await band([1.5, 0.123456789012]), { type: 'Float64', nodata: -1e-255 });
  t.like(await band([2 ** 31]), { type: 'Float32' });
  t.like(await band([-9999, 4]), { type: 'Int32', nodata: -(2 ** 31) });
  t.like(await band([2 ** 31 - 1, 1], { method: 'sum' }), { type: 'Float64' });
});

test('integers beyond double precision are rounded, which is told', async (t) => {
  const rows = [2n ** 53n, 2n ** 53n + 1n].map((value, n) => [square(n, 0, n + 1, 1), value] as const);
  const { lost, grid } = await burnt(t, features(rows, { type: 'integer64' }), field);
  t.deepEqual(lost, ['1 integers were rounded to double precision.']);
  t.is(grid.width, 2);
});

test('the cells of another grid, turned as they are', async (t) => {
  const path = join(await folderOf(t), 'like.asc');
  await writeFile(path, 'ncols 3\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 5\n1 1 1\n1 1 1\n');
  const like = { path };
  const sideInputs = { [path]: { path, name: 'like.asc' } };
  const data = features([[square(12, 21, 22, 26), 1]]);
  const { grid, rows } = await burnt(t, data, { field: 'v', like }, sideInputs);
  t.deepEqual([...grid.affine], [10, 5, 0, 30, 0, -5]);
  t.deepEqual(rows, ['. . .', '1 1 .']);
});

test('an absurd raster, a field of text and features without numbers are refused', async (t) => {
  const refused = async (data: FeatureCollection, rasterize: object) =>
    (await t.throwsAsync(burnt(t, data, rasterize), { instanceOf: ConversionError }))!.message;
  const one = features([[square(0, 0, 1, 1), 1]], { srid: 25832 });
  t.regex(await refused(one, { field: 'v', cellSize: 1e-9 }), /at most \d+ along a side/);
  t.regex(await refused(one, { field: 'w', cellSize: 1 }), /have no field 'w'\. They have 'v'/);
  t.regex(await refused(one, { ...field, extent: [0, 0, 1, 1], SRID: 4326 }), /crsTransformation/);
  const text = features([[square(0, 0, 1, 1), 'a']], { type: 'string' });
  t.regex(await refused(text, field), /'v' is of the type string/);
  t.regex(await refused(features([[square(0, 0, 1, 1), null]]), field), /nothing to rasterize/);
});
